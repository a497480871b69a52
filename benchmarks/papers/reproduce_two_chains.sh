# Figures 5 to 14 of "Two-Chains: High Performance Framework for Function Injection and Execution" (Grodowitz, Peña, Dunham, Zhong,
# Shamis, Poole, 2021), for reproduce.sh, which has the functions and settings that are used here.
#   benchmarks/papers/reproduce.sh two-chains [BUILD [DIR]]

# knows EXPERIMENT WORDS: whether its help has them. Experiments that this build's tc-perf lacks have no
# chapter.
knows() {
    "$tc_perf" "$1" --help | tr '\n' ' ' | grep -q -e "$2"
}

# measure_tail NAME FUNCTION PLACEMENTS
measure_tail() {
    measure "$1" tail --function "$2" --placement "$3" --load none,vm --stressor "$stressor" -s "$tail_sizes" -n "$tail_samples" -w "$tail_warmup" --rounds "$tail_rounds"
}

measure_two_chains() {
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    rm -f "$dir"/{delivered,cycles}.{json,txt,svg}
    if knows ssum noexec; then
        measure delivered ssum --sweep "$two_sizes" --modes put,noexec --rounds $again "${few[@]}"
    fi
    measure put iput --sweep "$two_sizes" --modes inject,local --rounds $again "${few[@]}"
    measure sum ssum --sweep "$two_sizes" --modes inject,local --rounds $again "${few[@]}"
    measure_tail tail-put iput cache,own,memory
    measure_tail tail-sum ssum cache,memory
    if knows cycles endpoints; then
        measure cycles cycles --sweep "$wait_sizes" --rounds $sweep_rounds "${few[@]}"
    fi
    measure rings tsi --ring-bytes "$rings" --modes cached,inject --rounds $again "${few[@]}"
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

# --- figures as numbers -----------------------------------------------------------------------------------------------

# Common parts of all programs below. A ratio of a sweep is named NAME_PAYLOAD.
two_chains_words='
    def round1: . * 10 | round / 10;
    def round2: . * 100 | round / 100;
    def percent: round1 | if . > 0 then "+\(.)" else tostring end;
    def size: if . >= 1024 then "\(. / 1024) KB" else "\(.) B" end;
    def sweep($name): . as $report | [$report.ratios | to_entries[] | select(.key | test("^" + $name + "_[0-9]+$"))
        | {payload: (.key | split("_") | last | tonumber), value: .value}]
        | if . == [] then ([$report.rows[].payload_bytes] | max) as $only | [$report.ratios[$name] | values | {payload: $only, value: .}]
          else sort_by(.payload) end;
    def first_value: .[0].value;
    def last_value: .[-1].value;
    def most: max_by(.value) | "\(.value | round2) at \(.payload | size)";
    def least: min_by(.value) | "\(.value | round2) at \(.payload | size)";
    def ends(f): "\(first_value | f) to \(last_value | f) (\(.[0].payload | size), \(.[-1].payload | size))";'

two_chains() {
    local file=$1
    shift
    jq -r "$two_chains_words $*" "$dir/$file.json"
}

# Figures 5 and 6.
delivered_claims() {
    [ -f "$dir/delivered.json" ] || return 0
    two_chains delivered '
        (sweep("noexec_to_put_latency") | "| 5: latency of a message that is not executed, to a UCX put: at worst | 1.015 | \(most) |"),
        (sweep("noexec_to_put_rate") | "| 6: bandwidth of the same | 1.79 to 4.48 | \(least); \(most) |")'
}

# Figures 7 and 8: in per cent of local, as the paper has it; below 0 is a gain.
loss_claims() {
    local name what
    for name in put sum; do
        what=$([ $name = put ] && echo "Indirect Put" || echo "Server-Side Sum")
        two_chains $name '
            (sweep("inject_to_local_latency") | "| 7: latency that injecting adds, %, '"$what"' | '"$([ $name = put ] && echo 'about 40, towards 0 at 4 KB' || echo 'towards 0 at 256 B')"' | \(ends((. - 1) * 100 | percent)) |"),
            (sweep("inject_to_local_rate") | "| 8: rate that injecting loses, %, '"$what"' | '"$([ $name = put ] && echo 'about 40' || echo '-')"' | \(ends((1 - .) * 100 | percent)) |")'
    done
}

# Figures 9 to 12.
tail_claims() {
    two_chains tail-put '
        ("inject", "cached") as $mode | ("own", "cache") as $where
        | (if $where == "own" then "the receiver\u0027s cache" else "the sender\u0027s" end) as $cache
        | (sweep("memory_to_\($where)_latency_\($mode)_none") | select(. != []) | map(.value = 100 * (1 - 1 / .value))
           | "| 9: latency that \($cache) saves, %, at most; `\($mode)` | 31 | \(most) |"),
          (sweep("memory_to_\($where)_rate_\($mode)_none") | select(. != []) | map(.value = if .value > 0 then 100 * (1 / .value - 1) else 0 end)
           | "| 10: rate that \($cache) adds, %, at most; `\($mode)` | 92 | \(most) |"),
          (sweep("memory_to_\($where)_p999_\($mode)_vm") | select(. != [])
           | "| 11: p99.9 from memory to that from \($cache), with load, at most; `\($mode)` | 2.4 | \(most) |")'
    two_chains tail-sum '
        ("inject", "cached") as $mode
        | (sweep("memory_to_cache_p999_\($mode)_vm")
           | "| 12: the same, Server-Side Sum; `\($mode)` | 2 | \(most) |")'
}

# Figures 13 and 14: the best of the ways that wait, by the counters.
cycles_claims() {
    [ -f "$dir/cycles.json" ] || return 0
    jq -r "$two_chains_words"'
        . as $report
        | (if [.ratios | keys[] | select(contains("_to_poll_cycles"))] | length > 0 then "cycles" else "cpu_ns" end) as $unit
        | ("iput", "ssum") as $function
        | ([.rows[] | select(.function == $function and (has("skipped") | not)) | .mode] | unique | map(select(. != "poll")))[] as $mode
        | (if $mode != "line" then "-" elif $function == "iput" then "0.26 to 0.4" else "0.27 to 0.54" end) as $paper
        | ($report | sweep("\($function)_\($mode)_to_poll_\($unit)")) as $spent
        | ($report | sweep("\($function)_\($mode)_to_poll_latency")) as $latency
        | select($spent != [] and $latency != [])
        | "| \(if $function == "iput" then 13 else 14 end): `\($mode)` to polling: \($unit) of `\($function)` | \($paper) | \($spent | least); \($spent | most) |",
          "| \(if $function == "iput" then 13 else 14 end): `\($mode)` to polling: latency of `\($function)` | \(if $mode == "line" then "at most 1.015" else "-" end) | \($latency | least); \($latency | most) |"
        ' "$dir/cycles.json"
}

two_chains_claims() {
    delivered_claims
    loss_claims
    tail_claims
    cycles_claims
}

# A line per payload: latency and bandwidth of both, and the ratios.
delivered_table() {
    jq -r '
        def of($rows; $mode; $name): [$rows[] | select(.mode == $mode) | .[$name]] | first | if . == null then "-" else round | tostring end;
        . as $report | "| payload | put, ns | noexec, ns | put, MB/s | noexec, MB/s |", "|---:|---:|---:|---:|---:|",
        ([.rows[] | select(has("skipped") | not)] | group_by(.payload_bytes)[] | . as $rows
         | "| \($rows[0].payload_bytes) | \(of($rows; "put"; "latency_ns_p50")) | \(of($rows; "noexec"; "latency_ns_p50")) | \(of($rows; "put"; "mb_per_s")) | \(of($rows; "noexec"; "mb_per_s")) |")
        ' "$dir/delivered.json"
}

# loss_table FILE: by how much per cent injecting is behind the same function at the target.
loss_table() {
    jq -r '
        def of($rows; $mode; $name): [$rows[] | select(.mode == $mode) | .[$name]] | first;
        def percent: . * 10 | round / 10 | if . > 0 then "+\(.)" else tostring end;
        . as $report | ([.rows[].payload_bytes] | unique | length > 1) as $many
        | "| payload | local, ns | inject, ns | latency, % | local, M/s | inject, M/s | rate, % |", "|---:|---:|---:|---:|---:|---:|---:|",
        ([.rows[] | select(has("skipped") | not)] | group_by(.payload_bytes)[] | select(length == 2) | . as $rows
         | (if $many then "_\($rows[0].payload_bytes)" else "" end) as $suffix
         | "| \($rows[0].payload_bytes) | \(of($rows; "local"; "latency_ns_p50") | round) | \(of($rows; "inject"; "latency_ns_p50") | round)"
           + " | \(($report.ratios["inject_to_local_latency" + $suffix] - 1) * 100 | percent)"
           + " | \(of($rows; "local"; "rate_per_s") / 1e4 | round / 100) | \(of($rows; "inject"; "rate_per_s") / 1e4 | round / 100)"
           + " | \(($report.ratios["inject_to_local_rate" + $suffix] - 1) * 100 | percent) |")
        ' "$dir/$1.json"
}

# tail_table FILE: a line per load and payload, p50 / p99.9 / spread of each way.
tail_table() {
    jq -r '
        def us: . / 10 | round / 100;
        [.rows[] | select(has("skipped") | not)] as $rows
        | ([$rows[] | "`\(.mode)`, \(.placement)"] | reduce .[] as $n ([]; if index([$n]) then . else . + [$n] end)) as $ways
        | "| load | payload | " + ($ways | map("\(.): p50, p99.9 (us), spread (%)") | join(" | ")) + " |",
          "|---|---:|" + ([$ways[] | "---:|"] | add),
          ($rows | group_by(.load, .payload_bytes)[] | . as $group
           | "| \($group[0].load) | \($group[0].payload_bytes) | "
             + ([$ways[] as $way | [$group[] | select("`\(.mode)`, \(.placement)" == $way)
                 | "\(.latency_ns_p50 | us), \(.latency_ns_p999 | us), \(.tail_spread * 100 | round)"] | first // "-"] | join(" | ")) + " |")
        ' "$dir/$1.json"
}

ring_table() {
    jq -r '
        "| mode | ring | messages under way | million messages/s |", "|---|---:|---:|---:|",
        (.rows[] | select(has("skipped") | not) | "| `\(.mode)` | \(.ring_bytes) | \(.outstanding) | \(.rate_per_s / 1e4 | round / 100) |")' "$dir/rings.json"
}

# --- the page -----------------------------------------------------------------------------------------------------------

# Names the measurements that this build lacks.
delivered_chapter() {
    printf '## Figures 5 and 6: delivered, not executed\n\n'
    if [ ! -f "$dir/delivered.json" ]; then
        printf 'Not measured: this tc-perf has no modes `put` and `noexec`.\n'
        return
    fi
    printf '![delivered](delivered.svg)\n\n'
    delivered_table
}

cycles_chapter() {
    printf '## Figures 13 and 14: what waiting costs\n\n'
    if [ ! -f "$dir/cycles.json" ]; then
        printf 'Not measured: this tc-perf has no experiment `cycles`.\n'
        return
    fi
    printf '![cycles](cycles.svg)\n\n'
    jq -r '.counters | "Counted: \(.counted // "-")\(if .reason then "; \(.reason)" else "" end). The instruction that waits for a line: \(.line // "none here")."' "$dir/cycles.json"
}

two_chains_page() {
    cat <<END
# The Two-Chains paper's figures on this machine

Machine: $(machine put). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included); $(jq -r '.env.date[:10]' "$dir/put.json").
Two processes of this machine stand where the paper has two machines with InfiniBand between them, so ratios compare and times do not: what is compared here took turns in short rounds.
\`docs/papers/two-chains.md\` says what each item of the paper is here, \`docs/benchmarks.md\` how each figure is measured.

## The paper's line, and ours

| figure | the paper | here |
|---|---:|---:|
$(two_chains_claims)

$(delivered_chapter)

## Figures 7 and 8: injected against local

![Indirect Put](put.svg)

$(loss_table put)

Server-Side Sum, which the paper describes in words:

![Server-Side Sum](sum.svg)

$(loss_table sum)

## Figures 9 to 11: Indirect Put, frames in a cache or in memory

**Emulated**: no adapter stashes anything here. The receiver moves each frame to memory, or to its own cache (\`own\`), before it reads it, and what that takes is taken out.

![Indirect Put by placement](tail-put.svg)

$(tail_table tail-put)

## Figure 12: the same of Server-Side Sum

![Server-Side Sum by placement](tail-sum.svg)

$(tail_table tail-sum)

$(cycles_chapter)

## Rate over messages under way

The paper's banks of mailboxes are a ring here, whose size says how many messages may be under way.

![rings](rings.svg)

$(ring_table)

## What differs from the paper's set-up

- Two processes of one machine over shared memory; the paper has two machines with ConnectX-6 adapters, back to back.
- A frame in \`cache\` is in that of the processor that wrote it, one in \`own\` in the innermost of the receiver's; the paper's is in the last-level cache. With fewer free processors than programs p99.9 is
  the scheduler's, whatever the placement.
- The load is $(jq -r '[.rows[] | select(.load == "vm") | .load_by] | first | if . == "own" then "two processes of tc-perf that wear the memory; stress-ng is taken where it is installed" else "`stress-ng --class vm --all 1`, as in the paper" end' "$dir/tail-put.json").
- The paper's payloads are numbers of 4 bytes, 1 to 8192; here bytes.

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

\`benchmarks/papers/reproduce.sh two-chains\` runs them; the JSON of each, and the table that it printed, is beside this page.
END
}
