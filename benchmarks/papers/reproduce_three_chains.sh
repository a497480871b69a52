# Tables I to VI and Figures 5 to 12 of the Three-Chains paper ("Bring the BitCODE: Moving Compute and Data in
# Distributed Heterogeneous Systems", Lu, Peña, Shamis and others, 2022), for reproduce.sh, which has the functions and settings
# that are used here.
#   benchmarks/papers/reproduce.sh three-chains [BUILD [DIR]]

# measure_julia: Figures 8 and 12, where the functions in Julia are built.
measure_julia() {
    rm -f "$dir"/julia-*
    if ! "$tc_perf" tsi --function c,julia -n 2 -r 1 >"$dir/julia.txt" 2>&1; then
        return
    fi
    rm -f "$dir/julia.txt"
    measure julia-tsi tsi -s 1 --function c,julia --modes cached,uncached,image --rounds $((rounds * 2)) "${tables[@]}"
    measure julia-depth dapc --function c,julia --servers "${few_servers##*,}" --depth "$depths" --rounds $sweep_rounds "${few[@]}"
    measure julia-servers dapc --function c,julia --servers "$few_servers" --depth "$deepest" --rounds $rounds "${few[@]}"
}

measure_three_chains() {
    local n
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    measure overhead overhead --rounds $((rounds * 2)) "${tables[@]}"
    measure tables overhead --table --rounds $((rounds * 2)) "${tables[@]}"
    measure tables-tcp overhead --table --tls tcp,self --rounds $rounds "${few[@]}"
    for n in $depth_servers; do
        measure "depth-$n" dapc --servers "$n" --depth "$depths" --rounds $sweep_rounds "${few[@]}"
    done
    measure servers dapc --servers "$servers" --depth "$deepest" --rounds $rounds "${few[@]}"
    measure_julia
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

# Tables I to III: ours, then the paper's machines.
overhead_table() {
    jq -r '
        def us: if . == null then "-" else . / 10 | round / 100 | tostring end;
        .paper as $paper | [$paper[].machine] as $all | (reduce $all[] as $m ([]; if index([$m]) then . else . + [$m] end)) as $machines
        | {am: "Active Message", uncached: "Uncached Bitcode", cached: "Cached Bitcode", image: "Image (paper: binary, no figures)"} as $ways
        | "| us | stage | here | " + ([$machines[] as $m | first($paper[] | select(.machine == $m)) | "\(.table): \(.machine)"] | join(" | ")) + " |",
          "|---|---|---:|" + ([$machines[] | "---:|"] | add),
          (.rows[] | select($ways[.mode]) | . as $row
           | ([["lookup + execution", $row.lookup_exec_ns, "lookup_exec_ns"]]
              + (if $row.jit_ns then [["once, in no total: made callable", $row.jit_ns, "jit_ns"]] else [] end)
              + [["transmission", $row.transmission_ns, "transmission_ns"], ["total", $row.latency_ns_p50, "total_ns"]])[] as $stage
           | "| \($ways[$row.mode]) | \($stage[0]) | \($stage[1] | us) | "
             + ([$machines[] as $m | [$paper[] | select(.machine == $m and .mode == $row.mode) | .[$stage[2]]] | first | us] | join(" | ")) + " |")
        ' "$dir/overhead.json"
}

# The equations (1) to (3), and the excess of a cached call over the function itself.
overhead_sums() {
    ratio_head
    ratios overhead '^sum_to_total_'
    jq -r '.rows[] | select(.mode == "cached" and has("above_direct_ns"))
        | "| cached lookup + execution above a direct call, ns | \(.above_direct_ns) |"' "$dir/overhead.json"
}

# Tables IV to VI; ours by two ways.
rate_table() {
    jq -r --slurpfile tcp "$dir/tables-tcp.json" '
        def us: if . == null then "-" else . / 10 | round / 100 | tostring end;
        def of($report; $mode; $name): [$report.rows[] | select(.mode == $mode) | .[$name]] | first;
        . as $shm | .paper as $paper | [$paper[].machine] as $all
        | (reduce $all[] as $m ([]; if index([$m]) then . else . + [$m] end)) as $machines
        | {am: "Active Message", cached: "Cached Bitcode", uncached: "Uncached Bitcode", image: "Image"} as $ways
        | "| method | what | here, shared memory | here, tcp | "
          + ([$machines[] as $m | first($paper[] | select(.machine == $m)) | "\(.table): \(.machine)"] | join(" | ")) + " |",
          "|---|---|---:|---:|" + ([$machines[] | "---:|"] | add),
          ("am", "cached", "uncached", "image") as $mode
        | ("latency, us", "million messages/s") as $what
        | (if $what == "latency, us" then "latency_ns_p50" else "rate_per_s" end) as $ours
        | (if $what == "latency, us" then "latency_ns" else "rate_per_s" end) as $theirs
        | def shown: if $ours == "rate_per_s" then (if . == null then "-" else . / 10000 | round / 100 | tostring end) else us end;
          "| \($ways[$mode]) | \($what) | \(of($shm; $mode; $ours) | shown) | \(of($tcp[0]; $mode; $ours) | shown) | "
          + ([$machines[] as $m | [$paper[] | select(.machine == $m and .mode == $mode) | .[$theirs]] | first | shown] | join(" | ")) + " |"
        ' "$dir/tables.json"
}

# One line per claim of the paper's text: theirs, from its tables, beside ours, from this run's ratios.
claims() {
    local name shown paper
    printf '| ratio | the paper | here, shared memory | here, tcp |\n|---|---:|---:|---:|\n'
    while IFS='|' read -r name shown paper; do
        printf '| %s | %s | %s | %s |\n' "$shown" "$paper" "$(claim tables "$name")" "$(claim tables-tcp "$name")"
    done <<'END'
cached_to_am_latency|cached to active message, latency|0.98 to 1.03
cached_to_am_rate|cached to active message, rate|1.08 to 1.35
uncached_to_cached_latency|uncached to cached, latency|1.87 to 2.35
uncached_to_cached_rate|uncached to cached, rate|0.24 to 0.32
END
    for name in bitcode_to_get bitcode_to_am image_to_am; do
        case $name in
        bitcode_to_get) paper='1.2 to 1.75' ;;
        bitcode_to_am) paper='0.93 to 0.97' ;;
        *) paper='"on par"' ;;
        esac
        printf '| chases/s, depth %s: `%s` | %s | - | %s |\n' "$deepest" "$name" "$paper" "$(chase_claim $name)"
    done
}

claim() {
    jq -r --arg name "$2" '.ratios[$name] * 100 | round / 100' "$dir/$1.json"
}

# From the lowest to the highest of the numbers of servers; with one server no chase leaves it.
chase_claim() {
    jq -r --arg name "$1" '
        [.ratios | to_entries[] | select((.key | startswith($name + "_s")) and (.key | test("_s1(_|$)") | not)) | .value * 100 | round / 100]
        | if length == 0 then "-" elif min == max then "\(min)" else "\(min) to \(max)" end' "$dir/servers.json"
}

julia_chapter() {
    printf '## Figures 8 and 12: Julia beside C\n\n'
    if [ ! -f "$dir/julia-servers.json" ]; then
        printf 'Not measured: %s\n' "$(tail -n 1 "$dir/julia.txt")"
        return
    fi
    printf 'TSI, a function in Julia to the same in C:\n\n'
    ratio_head
    ratios julia-tsi '_julia_to_c_'
    printf '\n![by depth](julia-depth.svg)\n\n'
    rates julia-depth depth
    printf '\n![by servers](julia-servers.svg)\n\n'
    rates julia-servers servers
    printf '\n'
    ratio_head
    ratios julia-servers '_julia_to_c_'
}

three_chains_page() {
    local n
    cat <<END
# The Three-Chains paper's tables and figures on this machine

Machine: $(machine overhead). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included); $(jq -r '.env.date[:10]' "$dir/overhead.json").
Two and more processes of this one machine stand where the paper has machines with InfiniBand between them, so ratios compare and times do not: what is compared here took turns in short rounds.
\`docs/papers/three-chains.md\` says what each item of the paper is here, \`docs/benchmarks.md\` how each figure is measured.

## The paper's line, and ours

$(claims)

Chases are over tcp, where a GET is answered by the server's process; servers and client share the processors of this machine.

## Tables I to III: what a call is made of

![stages](overhead.svg)

$(overhead_table)

Equations (1) to (3) on ours: both stages, measured by stamps, to half of the round trip of the same messages.

$(overhead_sums)

## Tables IV to VI: latency and rate

A payload of one byte, as in the paper.

![over shared memory](tables.svg)

![over tcp](tables-tcp.svg)

$(rate_table)

## Figures 5 to 7: chases by depth

END
    for n in $depth_servers; do
        printf '![%s servers](depth-%s.svg)\n\n%s servers:\n\n' "$n" "$n" "$n"
        rates "depth-$n" depth
        printf '\n'
    done
    cat <<END
## Figures 9 to 11: chases by number of servers

Depth $deepest.

![by servers](servers.svg)

$(rates servers servers)

$(ratio_head)
$(ratios servers '_to_')

$(julia_chapter)

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

\`benchmarks/papers/reproduce.sh three-chains\` runs them; the JSON of each, and the table that it printed, is beside this page.
END
}
