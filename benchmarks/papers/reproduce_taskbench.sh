# METG(50%) of "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance" (Slaughter and others, SC20), for
# reproduce.sh, which has the functions and settings that are used here.
#   benchmarks/papers/reproduce.sh taskbench [BUILD [DIR]]

taskbench_widths="2 8 32"
taskbench_bytes=4096 # beside the usual 16

# taskbench_starter: the command that starts two ranks, in the array of that name. Where the program has MPI it is the mpirun that the
# build found, with its own shared memory and without yielding, as tc-perf has it.
taskbench_start() {
    local mpirun
    mpirun=$(sed -n 's/^MPIEXEC_EXECUTABLE:[^=]*=//p' "$build/CMakeCache.txt")
    if ! ldd "$build/benchmarks/papers/taskbench/metg_run" | grep -q libmpi; then
        taskbench_starter=("$build/bin/tc-run" -n 2)
    elif "$mpirun" --version | grep -qE 'Open MPI|OpenRTE'; then
        taskbench_starter=("$mpirun" --bind-to none --host localhost:2 -n 2 --mca pml ob1 --mca mpi_yield_when_idle 0 --mca btl self,vader)
    else
        taskbench_starter=("$mpirun" -bind-to none -n 2)
    fi
}

# measure_metg NAME option...: one run of two ranks, as NAME.json.
measure_metg() {
    local name=$1 program=$build/benchmarks/papers/taskbench/metg_run
    shift
    echo "$(basename "${taskbench_starter[0]}") -n 2 metg_run $*" | tee -a "$dir/commands.txt"
    TC_IFUNC_PATH=$(dirname "$program") TC_CHECK_THREADS=no OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        timeout -k 5 600 "${taskbench_starter[@]}" "$program" "$@" --json "$dir/$name.json" >"$dir/$name.txt"
}

measure_taskbench() {
    local width
    taskbench_start
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    for width in $taskbench_widths; do
        measure_metg "taskbench-$width" --width "$width" --rounds "$taskbench_rounds" "${taskbench_few[@]}"
    done
    measure_metg taskbench-bytes --width 8 --bytes "$taskbench_bytes" --rounds "$taskbench_rounds" "${taskbench_few[@]}"
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

taskbench() {
    jq -r 'def figure: if . == null or . == 0 then "-" elif . >= 100 then round | tostring else . * 10 | round / 10 | tostring end;
        def share: if . == null then "-" else . * 100 | round / 100 | tostring end;
        '"$2" "$dir/$1.json"
}

# taskbench_table NAME: METG by pattern and version, in ns.
taskbench_table() {
    taskbench "$1" '. as $all | (reduce .metg[].version as $v ([]; if index([$v]) then . else . + [$v] end)) as $names
        | "| pattern | " + ($names | map("`\(.)`") | join(" | ")) + " | tasks |", "|---|" + ([$names[] | "---:|"] | add) + "---|",
        ((reduce .metg[].pattern as $p ([]; if index([$p]) then . else . + [$p] end))[] as $p
         | [$all.metg[] | select(.pattern == $p)] as $own
         | "| \($p) | " + ([$names[] as $n | $own[] | select(.version == $n) | (if .is_bound then "at most " else "" end) + (.metg_ns | figure)] | join(" | "))
           + " | \(if [$own[] | .verified != false] | all then "verified" else "WRONG" end) |")'
}

# taskbench_ratios NAME: those to the two versions of MPI, by least times and by medians.
taskbench_ratios() {
    taskbench "$1" '"| METG of | to `mpi` | to `mpi-gathered` |", "|---|---:|---:|",
        (.ratios as $ratios | ("stencil", "fft") as $p | ("function", "function-single", "view") as $v
         | "| \($p), `\($v)` | " + ([("mpi", "mpi-gathered") as $m | $ratios["\($p)_\($v)_to_\($m)"]
             | "\(.ratio | share) (\(.ratio_of_medians | share))"] | join(" | ")) + " |")'
}

taskbench_chapter() {
    printf '## %s\n\n![efficiency by task size](%s.svg)\n\nNanoseconds:\n\n' "$1" "$2"
    taskbench_table "$2"
    printf '\nRatios of the least times of all rounds, in brackets those of medians:\n\n'
    taskbench_ratios "$2"
    printf '\n'
}

taskbench_page() {
    cat <<END
# Task Bench on this machine

Machine: $(machine taskbench-8). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included).
$(taskbench taskbench-8 '.env.options | "MPI: \(if .mpi == "" then "not in this build" else .mpi end). The kernel (\(.kernel)) reaches \(.peak_gflops | figure) GFLOP/s at each of two ranks; a word in shared memory takes \(.word_ns | figure) ns."')

## The paper's METG(50%), and ours

| METG(50%) | the paper: MPI, one node of 32 cores | MPI here | functions here |
|---|---:|---:|---:|
$(taskbench taskbench-2 '([.metg[] | {"\(.pattern) \(.version)": .metg_ns}] | add) as $m
    | "| no dependences, ns | 390 | \($m["trivial mpi"] | figure) | \($m["trivial function"] | figure) |",
      "| three dependences (stencil), one task for each core and step, ns | 4600 | \($m["stencil mpi"] | figure) | \($m["stencil function"] | figure) |"')

$(for width in $taskbench_widths; do taskbench_chapter "$width points at two ranks" "taskbench-$width"; done)

$(taskbench_chapter "8 points, $taskbench_bytes bytes for each dependence" taskbench-bytes)

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

\`benchmarks/papers/reproduce.sh taskbench\` runs them; the JSON of each, and the table that it printed, is beside this page. \`docs/papers/taskbench.md\` says what is measured.
END
}
