# k-mers counted in a distributed table, by active messages, functions and MPI, for reproduce.sh, which has the functions and settings
# that are used here.
#   benchmarks/papers/reproduce.sh kmer [BUILD [DIR]]

# kmer_start NAME RANKS: the command that starts ranks of an MPI, in the array kmer_starter, and its program in kmer_program; fails
# where there is none. tc-run is the starter without any MPI. The options are those of tc-perf: no binding, and for two ranks no yielding.
kmer_start() {
    local folder=$build/benchmarks/papers/kmer run
    kmer_program=$folder/kmer_run
    run=$(sed -n 's/^MPIEXEC_EXECUTABLE:[^=]*=//p' "$build/CMakeCache.txt")
    if ! ldd "$kmer_program" | grep -q libmpi; then
        [ "$1" = none ] || return 1
        kmer_starter=("$build/bin/tc-run" -n "$2")
        return
    fi
    case $1 in
    openmpi)
        "$run" --version | grep -qE 'Open MPI|OpenRTE' || return 1
        kmer_starter=("$run" --bind-to none -n "$2" --mca pml ob1 --mca btl self,vader)
        if [ "$2" = 2 ]; then kmer_starter+=(--host localhost:2 --mca mpi_yield_when_idle 0); else kmer_starter+=(--oversubscribe); fi
        ;;
    mpich)
        if [ -x "$kmer_program-mpich" ]; then
            kmer_program=$kmer_program-mpich
            run=$(sed -n 's/^TC_MPICH_RUN:[^=]*=//p' "$build/CMakeCache.txt")
        elif "$run" --version | grep -qE 'Open MPI|OpenRTE'; then
            return 1
        fi
        kmer_starter=("$run" -bind-to none -n "$2")
        ;;
    none) return 1 ;;
    esac
}

# measure_kmer NAME MPI RANKS option...: all versions, as kmer-NAME.json.
measure_kmer() {
    local name=$1 mpi=$2 ranks=$3
    shift 3
    kmer_start "$mpi" "$ranks" || return 0
    echo "$(basename "${kmer_starter[0]}") ${kmer_starter[*]:1} $(basename "$kmer_program") $*" | tee -a "$dir/commands.txt"
    TC_IFUNC_PATH=$(dirname "$kmer_program") TC_CHECK_THREADS=no OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        timeout -k 5 600 "${kmer_starter[@]}" "$kmer_program" "$@" --json "$dir/kmer-$name.json" >"$dir/kmer-$name.txt"
}

measure_kmer_all() {
    local mpi
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    for mpi in openmpi mpich none; do
        measure_kmer "$mpi" $mpi 2 --rounds "$kmer_rounds" "${kmer_few[@]}"
        measure_kmer "$mpi-text" $mpi 2 --rounds "$kmer_rounds" --batches 64,512 --text "$(dirname "$0")/../../CHANGELOG.md"
        measure_kmer "$mpi-four" $mpi 4 --rounds "$kmer_rounds" --batches 64,512 --unpinned "${kmer_few[@]}"
    done
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

# kmer_table NAME: nanoseconds for each k-mer, and how many times as fast as MPI.
kmer_table() {
    local name=$1
    [ -f "$dir/kmer-$name.json" ] || return 0
    jq -r 'def figure: if . == null then "-" elif . >= 100 then round | tostring elif . >= 10 then . * 10 | round / 10 | tostring else . * 100 | round / 100 | tostring end;
        (.env.options | "## \(if .mpi == "" then "tc-run" else .mpi end), \(.ranks) ranks, \(if .text != "" then "a text" else "reads of a genome" end)", "",
            "\(.kmers) \(.length)-mers, \(.distinct) of them different. Load \(.load_before) before, \(.load_after) after.", ""),
        "| version | k-mers of a message | ns, least | ns, median | times as fast as MPI, same messages | as MPI, its best messages |", "|---|---:|---:|---:|---:|---:|",
        (.rows[] | "| `\(.version)` | \(if .batch == 0 then "-" else .batch end) | \(.kmer_ns | figure) | \(.kmer_ns_median | figure) | \(.times_mpi_of_batch | figure) | \(.times_best_mpi | figure) |"), ""' \
        "$dir/kmer-$name.json"
}

kmer_page() {
    local mpi name first
    first=$(cd "$dir" && for mpi in openmpi mpich none; do [ -f "kmer-$mpi.json" ] && echo "kmer-$mpi" && break; done)
    cat <<END
# k-mers on this machine

Machine: $(machine "$first"). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included).
Nanoseconds are of the elapsed time by all k-mers of all ranks. The last columns have the least time of MPI by the least time of the version: how many times as fast it is.

$(for mpi in openmpi mpich none; do for name in "" -text -four; do kmer_table "$mpi$name"; done; done)

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

\`benchmarks/papers/reproduce.sh kmer\` runs them; the JSON of each, and the table that it printed, is beside this page. \`docs/papers/kmer.md\` says what is measured.
END
}

reproduce_kmer() {
    if [ "$step" = measure ]; then
        measure_kmer_all
    fi
    kmer_page >"$dir/report.md"
}
