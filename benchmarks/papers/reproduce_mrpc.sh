# Table 10 and Figures 11 and 12 of "MRPC: A High Performance RPC System for MPMD Parallel Computing" (Chang, Czajkowski, von
# Eicken), for reproduce.sh, which has the functions and settings that are used here.
#   benchmarks/papers/reproduce.sh mrpc [BUILD [DIR]]

mrpc_percents="10 40 70 100"
mrpc_fetched=window-base,view-base,function-base,rpc-base,window-ghost,view-ghost,function-ghost,rpc-ghost
mrpc_bulk=window-bulk,view-bulk,function-bulk,window-signal,view-signal

# measure_application NAME PROGRAM option...: one run of two ranks, as NAME.json.
measure_application() {
    local name=$1 program=$build/benchmarks/papers/mrpc/$2
    echo "tc-run -n 2 ${*:2}" | tee -a "$dir/commands.txt"
    TC_IFUNC_PATH=$(dirname "$program") timeout -k 5 600 "$build/bin/tc-run" -n 2 "$program" "${@:3}" --json "$dir/$name.json" >"$dir/$name.txt"
}

# Bulk takes a thousandth of base's time, and so as many more steps.
measure_mrpc() {
    local percent
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    for percent in $mrpc_percents; do
        measure_application "fetched-$percent" em3d_run --remote "$percent" --steps "$em3d_steps" --rounds "$rounds" --stamped "$stamped" --versions $mrpc_fetched
        measure_application "bulk-$percent" em3d_run --remote "$percent" --steps "$em3d_bulk_steps" --rounds "$rounds" --stamped "$stamped" --versions $mrpc_bulk
    done
    measure_application fft fft_run "${fft_size[@]}" --rounds $((rounds * 2)) --stamped "$stamped"
    measure_application lu lu_run "${lu_size[@]}" --rounds $((rounds * 2)) --stamped "$stamped"
    measure_application water water_run "${water_size[@]}" --steps 1 --rounds "$rounds" --stamped "$stamped"
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

mrpc_figure='def figure: if . == null then "-" elif . >= 100 then round | tostring else . * 100 | round / 100 | tostring end;'

mrpc() {
    mrpc_rows | jq -r "$mrpc_figure"'
        def ratio($name): .ratios["function_to_" + $name].ratio | figure;
        def less($way; $of; $than): if .ns[$than].ns_per_edge == null or .ns[$of].ns_per_edge == null then "-"
            else (1 - .ns[$of].ns_per_edge / .ns[$than].ns_per_edge) * 1000 | round / 10 | tostring end;
        '"$1"
}

# ratio_of FILE NAME: of a function's version to another one.
ratio_of() {
    jq -r "$mrpc_figure"'.ratios["function_to_'"$2"'"].ratio | figure' "$dir/$1.json"
}

# application_row TITLE PAPER FILE METHOD [VIEW_METHOD]
application_row() {
    echo "| $1 | $2 | $(ratio_of "$3" "window_$4") | $(ratio_of "$3" "view_${5:-$4}") | $(ratio_of "$3" "rpc_$4") |"
}

mrpc_table() {
    application_row "em3d-gp: base, all edges remote" "2, 1.6" fetched-100 base
    application_row "em3d-bulk, all edges remote" "1.1, 1.1" bulk-100 bulk
    application_row "the same, beside windows with a word in the place of the barrier" - bulk-100 signal
    application_row "water-atomic 512" "5.6, 4.9" water atomic
    application_row "water-prefetch 512" "3.5, 3.4" water prefetch
    application_row "water, forces in one message too" - water bundle
    application_row "fft 1M" "2.1, 2.3" fft bulk
    application_row "fft 1M, beside stores that scatter" - fft none scatter
    application_row "lu, blocks fetched" "3.6, 5" lu fetch
    application_row "lu, blocks pushed" - lu push
}

mrpc_claims() {
    mrpc '.[] |
        "| Figure 11: base, \(.percent) % remote | \(if .percent == 100 then "about 2" else "-" end) | \(ratio("window_base")) | \(ratio("view_base")) | \(ratio("rpc_base")) |",
        "| Figure 11: ghost, \(.percent) % remote | \(if .percent == 100 then "2.5" else "-" end) | \(ratio("window_ghost")) | \(ratio("view_ghost")) | \(ratio("rpc_ghost")) |",
        "| Figure 11: bulk, \(.percent) % remote | - | \(ratio("window_bulk")) | \(ratio("view_bulk")) | - |",
        "| the same, beside `signal` | - | \(ratio("window_signal")) | \(ratio("view_signal")) | - |"'
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

# Of the runs with stamps, the mean of the middle half.
mrpc_parts() {
    jq -rs "$mrpc_figure"'.[] | (if .program == "em3d" then "em3d, 100 %" else .program end) as $name | .unit as $unit | .rows[] | select(.parts)
        | "| \($name): `\(.version)` | \(.[$unit] | figure) | \(if .verified then "" else "WRONG " end)\(.parts.total | figure) | " + ([.parts.cpu, .parts.net, .parts.barrier, .parts.copy, .parts.stamps_percent | figure] | join(" | ")) + " |"' \
        "$dir/fetched-100.json" "$dir/bulk-100.json" "$dir/water.json" "$dir/fft.json" "$dir/lu.json"
}

mrpc_page() {
    cat <<END
# The MRPC paper's applications on this machine

Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, Linux $(uname -r). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included).
Processors, by the time of a word in shared memory: $(mrpc '[.[] | "\(.placement) (\(.word_ns | round) ns) at \(.percent) %"] | join("; ")').

## Table 10

Times of CC++/MRPC to those of Split-C in the paper, on 4 and on 8 processors; of functions here to windows that are served by messages (\`window\`), to mapped ones (\`view\`)
and to ONC RPC, on two ranks. Medians of the ratios of each round.

| application | the paper | to \`window\` | to \`view\` | to \`rpc\` |
|---|---:|---:|---:|---:|
$(mrpc_table)

## Figure 11

| figure | the paper | to \`window\` | to \`view\` | to \`rpc\` |
|---|---:|---:|---:|---:|
$(mrpc_claims)

![EM3D](figure-11.svg)

By how much per cent ghosts are faster than base, and bulk than ghosts, with all edges remote. The paper: 87 to 89, and more than 95, in both languages.

| way | ghost to base | bulk to ghost |
|---|---:|---:|
$(mrpc_savings)

Nanoseconds per edge and step: elapsed time by the edges of one rank, by percentage of remote edges.

$(mrpc_times)

## Figure 12

![Water, FFT and LU](figure-12.svg)

## Where the time goes

EM3D in nanoseconds per edge and step, Water in milliseconds per step, FFT and LU in milliseconds. Without stamps: the median of all rounds. With stamps: the mean
of the middle half of such runs, and of the ranks; the last column is the cost of the stamps in per cent of it.

| version | without stamps | with stamps | cpu | net | barrier | marsh + copy | stamps, % |
|---|---:|---:|---:|---:|---:|---:|---:|
$(mrpc_parts)

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
    "$(dirname "$0")/draw_mrpc.py" "$dir"
    mrpc_page >"$dir/report.md"
}
