#!/usr/bin/env bash
# Builds a release and shows it at work: a function that compresses here and fills a database there, on real text files,
# then how fast a small function travels on this machine.
#   scripts/demo.sh
#   scripts/demo.sh --mixed   instead: one function on both architectures, of which qemu runs the other one
# With TC_HOST_BUILD in the environment, a build by the same LLVM that is there, and without a release so far: in build/demo, with the
# functions of that build.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/release

heading() {
    printf '\n== %s\n\n' "$*"
}

# Output of a step that only matters when the step fails.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log"
        rm -f "$log"
        echo "demo: failed: $*" >&2
        return 1
    fi
    rm -f "$log"
}

case "${1:-}" in
    "" | --mixed) ;;
    *)
        echo "usage: $0 [--mixed]" >&2
        exit 2
        ;;
esac

heading "dependencies"
scripts/install-deps.sh

taken=()
if [ -n "${TC_HOST_BUILD:-}" ] && [ -z "${1:-}" ] && [ ! -f $build/CMakeCache.txt ]; then
    build=build/demo
    taken=(-DTC_FUNCTION_BUILD="$TC_HOST_BUILD" -DTC_BENCHMARK_LANGUAGES=c++)
fi
heading "build ($build)"
quietly cmake --preset release -B "$build" "${taken[@]}"
# The targets that cmake --install needs, and the examples; not the tests, which are as much again.
scripts/build.sh "$build" --target installed examples/all
"$build/bin/tc-info"

if [ "${1:-}" = --mixed ]; then
    heading "build for the other architecture (scripts/cross-aarch64.sh)"
    env TC_HOST_BUILD="$build" scripts/cross-aarch64.sh
    guest=aarch64
    [ "$(uname -m)" != aarch64 ] || guest=x86_64
    heading "primes: one function, sent from here to targets of both architectures"
    examples/two_architectures/run.sh "$build" "build/$guest"
    heading "record_insert: the same with a target of the other architecture"
    RECORD_TARGET=build/$guest RECORD_NODE=build/$guest/tests/mixed/guest/tc-node examples/record_insert/run.sh "$build"
    exit 0
fi

heading "record_insert: records travel compressed, a function unpacks them into the target's database"
examples/record_insert/run.sh "$build"

heading "get_if: a function looks through headers that four servers hold, and brings what matches"
examples/get_if/run.sh "$build" 'undefined behaviou?r' /usr/include/linux /usr/include/llvm-19

heading "bfs: a function goes through a graph that four ranks hold"
examples/bfs/run.sh "$build" --roots 4

heading "tsi: the smallest function, against the machine's limit, plain UCX, and each MPI that runs here"
modes=bare,am
for mpi in mpi mpich; do
    if "$build/bin/tc-perf" tsi --modes $mpi -n 1 -w 1 -r 1 >/dev/null; then
        modes+=,$mpi
    fi
done
"$build/bin/tc-perf" tsi --modes $modes,cached,uncached
