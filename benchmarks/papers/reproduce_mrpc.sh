# EM3D of Table 10 and Figure 11 of "MRPC: A High Performance RPC System for MPMD Parallel Computing" (Chang, Czajkowski, von
# Eicken), for reproduce.sh, which has the functions and settings that are used here.
#   benchmarks/papers/reproduce.sh mrpc [BUILD [DIR]]

mrpc_percents="10 40 70 100"
mrpc_fetched=window-base,view-base,function-base,window-ghost,view-ghost,function-ghost
mrpc_bulk=window-bulk,view-bulk,function-bulk,window-signal,view-signal

# measure_em3d NAME option...: one run of two ranks, as NAME.json.
measure_em3d() {
    local name=$1 program=$build/benchmarks/papers/mrpc/em3d_run
    shift
    echo "tc-run -n 2 em3d_run $*" | tee -a "$dir/commands.txt"
    TC_IFUNC_PATH=$(dirname "$program") timeout -k 5 600 "$build/bin/tc-run" -n 2 "$program" "$@" --json "$dir/$name.json" >"$dir/$name.txt"
}

# Bulk takes a thousandth of base's time, and so as many more steps.
measure_mrpc() {
    local percent
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    for percent in $mrpc_percents; do
        measure_em3d "fetched-$percent" --remote "$percent" --steps "$em3d_steps" --rounds "$rounds" --versions $mrpc_fetched
        measure_em3d "bulk-$percent" --remote "$percent" --steps "$em3d_bulk_steps" --rounds "$rounds" --versions $mrpc_bulk
    done
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

# mrpc_rows: both runs of each percentage as one object: ns, ratios, placement.
mrpc_rows() {
    local percent
    for percent in $mrpc_percents; do
        jq -s '{percent: .[0].remote_percent, ns: ([.[].rows[] | {(.version): .}] | add), ratios: (.[0].ratios + .[1].ratios),
            placement: ([.[].placement] | unique | join(", ")), word_ns: .[0].word_ns}' "$dir/fetched-$percent.json" "$dir/bulk-$percent.json"
    done | jq -s .
}

mrpc() {
    mrpc_rows | jq -r 'def figure: if . == null then "-" elif . >= 100 then round | tostring else . * 100 | round / 100 | tostring end;
        def ratio($name): .ratios["function_to_" + $name].ratio | figure;
        def less($way; $of; $than): if .ns[$than].ns_per_edge == null or .ns[$of].ns_per_edge == null then "-"
            else (1 - .ns[$of].ns_per_edge / .ns[$than].ns_per_edge) * 1000 | round / 10 | tostring end;
        '"$1"
}

mrpc_claims() {
    mrpc '.[-1] |
        "| Table 10: em3d-gp, base with all edges remote | 2 on 4 processors, 1.6 on 8 | \(ratio("window_base")) | \(ratio("view_base")) |",
        "| Table 10: em3d-bulk | 1.1 on 4 and on 8 | \(ratio("window_bulk")) | \(ratio("view_bulk")) |",
        "| the same, beside windows with a word in the place of the barrier | - | \(ratio("window_signal")) | \(ratio("view_signal")) |"'
    mrpc '.[] |
        "| Figure 11: base, \(.percent) % remote | \(if .percent == 100 then "about 2" else "-" end) | \(ratio("window_base")) | \(ratio("view_base")) |",
        "| Figure 11: ghost, \(.percent) % remote | \(if .percent == 100 then "2.5" else "-" end) | \(ratio("window_ghost")) | \(ratio("view_ghost")) |"'
}

mrpc_savings() {
    mrpc '.[-1] | ("window", "view", "function") as $way
        | "| `\($way)` | \(less($way; $way + "-ghost"; $way + "-base")) | \(less($way; $way + "-bulk"; $way + "-ghost")) |"'
}

mrpc_times() {
    mrpc '. as $all | "| version | " + ([.[] | "\(.percent) %"] | join(" | ")) + " | values |", "|---|" + ([.[] | "---:|"] | add) + "---|",
        ($all[0].ns | keys_unsorted[]) as $name
        | "| `\($name)` | " + ([$all[].ns[$name].ns_per_edge | figure] | join(" | "))
          + " | \(if [$all[].ns[$name] | .skipped] | any then "not run" elif [$all[].ns[$name].verified] | all then "verified" else "WRONG" end) |"'
}

mrpc_page() {
    cat <<END
# EM3D of the MRPC paper on this machine

Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, Linux $(uname -r). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included).
Processors, by the time of a word in shared memory: $(mrpc '[.[] | "\(.placement) (\(.word_ns | round) ns) at \(.percent) %"] | join("; ")').

## The paper's line, and ours

Times of CC++/MRPC to those of Split-C in the paper; of functions to windows here, served by messages (\`window\`) and mapped (\`view\`). Medians of the ratios of each round.

| figure | the paper | to \`window\` | to \`view\` |
|---|---:|---:|---:|
$(mrpc_claims)

By how much per cent ghosts are faster than base, and bulk than ghosts, with all edges remote. The paper: 87 to 89, and more than 95, in both languages.

| way | ghost to base | bulk to ghost |
|---|---:|---:|
$(mrpc_savings)

## Nanoseconds per edge and step

Elapsed time by the edges of one rank, by percentage of remote edges.

$(mrpc_times)

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

\`benchmarks/papers/reproduce.sh mrpc\` runs them; the JSON of each, and the table that it printed, is beside this page. \`docs/papers/mrpc.md\` says what differs from the paper.
END
}

reproduce_mrpc() {
    if [ "$step" = measure ]; then
        measure_mrpc
    fi
    mrpc_page >"$dir/report.md"
}
