# Figures 3 and 4 of "UCX Programming Interface for Remote Function Injection and Invocation" (Pena, Lu, Shamis, Poole, 2021), for
# reproduce.sh, which has the functions and settings that are used here.
#   benchmarks/papers/reproduce.sh ifunc-api [BUILD [DIR]]

api_modes=am,uncached,inject,compat

measure_ifunc_api() {
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    measure ifunc-api tsi --sweep $api_sizes --modes $api_modes --rounds $again "${few[@]}"
    measure ifunc-api-tcp tsi --sweep $api_sizes --modes $api_modes --tls tcp,self --rounds $again "${few[@]}"
    measure icache icache
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

# The statements of the paper's text on its figures (it has no table), and the same for this run. A change is in per cent of UCX
# AM; up is better in both. `where` has the payload up to which, or from which on, a way to send is ahead.
ifunc_api_points() {
    jq -r '
        ([.rows[].payload_bytes] | max) as $largest |
        def percent: . * 100 | round | if . > 0 then "+\(.)" else tostring end;
        def size: if . >= 1048576 then "\(. / 1048576) MB" elif . >= 1024 then "\(. / 1024) KB" else "\(.) B" end;
        def change($metric): if $metric == "latency" then 1 - .latency_to_am else .rate_to_am - 1 end;
        def where($metric): [sort_by(.payload_bytes)[] | {size: .payload_bytes, ahead: (change($metric) > 0)}] as $all
            | [$all[] | select(.ahead | not) | .size] as $behind
            | if $behind == [] then "everywhere"
              else [([$all[] | select(.size < $behind[0]) | .size] | max | values | "up to \(size)"),
                    ([$all[] | select(.size > $behind[-1]) | .size] | min | values | "from \(size)")]
                  | if . == [] then "nowhere at length" else join(", ") end
              end;
        def first($metric): min_by(.payload_bytes) | change($metric) | percent;
        def last($metric): max_by(.payload_bytes) | "\(change($metric) | percent)\(if .payload_bytes < $largest then " (at \(.payload_bytes | size))" else "" end)";
        def worst($metric): map(select(.payload_bytes <= 4096) | change($metric)) | min | percent;
        def best($metric): map(change($metric)) | max | percent;
        ("uncached", "inject", "compat") as $mode | [.rows[] | select(.mode == $mode and has("rate_to_am"))]
        | "\(worst("latency"))|\(where("latency"))|\(last("latency"))|\(first("rate"))|\(where("rate"))|\(best("rate"))|\(last("rate"))"
        ' "$dir/$1.json" | awk -F '|' '
        { for (i = 1; i <= NF; i++) cell[i] = cell[i] " " $i " |" }
        END {
            split("latency, at worst up to 4 KB|latency, ahead|latency, largest payload|rate, smallest payload|rate, ahead|rate, at best|rate, largest payload", name, "|")
            split("-42|between 8 and 16 KB|+35|-81|between 1 and 2 KB|+380|+62", paper, "|")
            print "| against UCX AM, % | the paper | `uncached` | `inject` | `compat` |"
            print "|---|---:|---:|---:|---:|"
            for (i = 1; i in cell; i++) print "| " name[i] " | " paper[i] " |" cell[i]
        }'
}

# Every payload: medians of the ratios of each round.
ifunc_api_table() {
    jq -r '
        def percent: if . == null then "left out" else . * 100 | round | if . > 0 then "+\(.)" else tostring end end;
        def of($rows; $mode): first($rows[] | select(.mode == $mode));
        "| payload | latency: `uncached` | `inject` | `compat` | rate: `uncached` | `inject` | `compat` |", "|---:|---:|---:|---:|---:|---:|---:|",
        ([.rows[] | select(.mode != "am")] | group_by(.payload_bytes)[] | . as $rows
         | "| \($rows[0].payload_bytes) | " + ([("uncached", "inject", "compat") as $mode | of($rows; $mode).latency_to_am
                                               | if . == null then . else 1 - . end | percent] | join(" | "))
           + " | " + ([("uncached", "inject", "compat") as $mode | of($rows; $mode).rate_to_am
                       | if . == null then . else . - 1 end | percent] | join(" | ")) + " |")
        ' "$dir/$1.json"
}

ifunc_api_left_out() {
    jq -r '[.rows[] | select(has("skipped"))] | group_by(.mode)[]
        | "- `\(.[0].mode)` with \(map(.payload_bytes | tostring) | join(", ")) bytes: \(.[0].skipped)."' "$dir/$1.json"
}

ifunc_api_chapter() {
    printf '## Over %s\n\n![%s](%s.svg)\n\n' "$1" "$1" "$2"
    ifunc_api_points "$2"
    printf '\n'
    ifunc_api_table "$2"
    if [ -n "$(ifunc_api_left_out "$2")" ]; then
        printf '\nLeft out, because code and payload go in one frame where no memory for large payloads is shared (`TC_RING_BYTES=2M` makes frames larger):\n\n'
        ifunc_api_left_out "$2"
    fi
}

icache_table() {
    jq -r '
        [.rows[].stage] as $all | (reduce $all[] as $s ([]; if index([$s]) then . else . + [$s] end)) as $stages
        | "| code, bytes | " + ($stages | map("\(.), ns") | join(" | ")) + " |", "|---:|" + ([$stages[] | "---:|"] | add),
          (.rows | group_by(.code_bytes)[] | . as $rows
           | "| \($rows[0].code_bytes) | " + ([$stages[] as $s | $rows[] | select(.stage == $s) | .ns | round | tostring] | join(" | ")) + " |")
        ' "$dir/icache.json"
}

page_ifunc_api() {
    cat <<END
# The ifunc API against UCX active messages, on this machine

Machine: $(machine ifunc-api). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included); $(jq -r '.env.date[:10]' "$dir/ifunc-api.json").

Figures 3 and 4 of "UCX Programming Interface for Remote Function Injection and Invocation" (2021): one-way latency and message rate of a function that adds one to a
counter, with its code in every message, and by how much per cent that is ahead of UCX's active messages. All ways take turns in short rounds; ratios are medians of
each round's own, so they hold where other programs run too.

- \`uncached\`: the code in every message (\`tc_send_uncached\`), which a target that has it compares with its own.
- \`inject\`: a native image in every message, placed and run once (\`tc_send_injected\`); of all three the nearest to the paper's.
- \`compat\`: the paper's own calls (docs/original-api.md). Where the target's memory is mapped the code comes with the first message only; over tcp with every one.

$(ifunc_api_chapter "shared memory" ifunc-api)

$(ifunc_api_chapter tcp ifunc-api-tcp)

## Code that was just written

The paper puts down most of what its small messages lose to clearing the instruction cache. Of code written and called here the stages are:

![stages](icache.svg)

$(icache_table)

## What differs from the paper's set-up

- Two processes of one machine, over shared memory and over tcp on loopback; the paper has two machines with ConnectX-6 adapters, back to back.
- The paper's machine has no coherent instruction cache, and clears it for each message. On x86_64 nothing is to be done; on aarch64 the library does what the
  architecture asks for (\`runtime/engine/image/code_sync.c\`), and the chapter above shows what that takes where this page was made on such a machine.
- The paper's throughput run fills a ring, flushes, and waits until all of it was consumed; here the ring goes on while the target consumes, in all ways alike.
- The paper's figures are drawn, not listed: what stands beside ours is what its section 4.3 says in words.

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

benchmarks/papers/reproduce.sh ifunc-api runs them; the JSON of each, and the table that it printed, is beside this page.
END
}
