#!/usr/bin/env bash
# A node adds up a series by one thread and by several, as a function asks it to that is sent there.
#   examples/openmp/run.sh BUILD_DIR [--isolate] [TERMS [THREADS]]
#     --isolate    the node gives each connection a process of its own
#     THREADS      default: as many as OpenMP takes
# Exit status 0 only when the sums are right.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [--isolate] [TERMS [THREADS]]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
options=()
if [ "${1-}" = --isolate ]; then
    options=(--isolate)
    shift
fi
scratch=$(mktemp -d)
node=

clean() {
    if [ -n "$node" ]; then
        kill -TERM "$node" 2>/dev/null || true
        wait "$node" 2>/dev/null || true
    fi
    rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 1' INT TERM

"$build/bin/tc-node" --listen 127.0.0.1:0 --port-file "$scratch/port" ${options[@]+"${options[@]}"} \
    </dev/null >"$scratch/log" 2>&1 &
node=$!
for ((waited = 0; waited < 300; waited++)); do
    [ ! -s "$scratch/port" ] || break
    sleep 0.1
done
[ -s "$scratch/port" ] || { cat "$scratch/log" >&2; exit 1; }
TC_IFUNC_PATH=$build/examples/openmp timeout -k 5 120 \
    "$build/examples/openmp/sum_source" "127.0.0.1:$(cat "$scratch/port")" "$@" || { cat "$scratch/log" >&2; exit 1; }
