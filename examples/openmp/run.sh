#!/usr/bin/env bash
# A node adds up a series by one thread and by several, as a function asks it to that is sent there.
#   examples/openmp/run.sh BUILD_DIR [--isolate] [TERMS [THREADS]]
#     --isolate    the node gives each connection a process of its own
#     THREADS      default: as many as OpenMP takes
# Exit status 0 only when the sums are right.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [--isolate] [TERMS [THREADS]]" >&2; exit 2; }
tree=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
options=()
if [ "${1-}" = --isolate ]; then
    options=(--isolate)
    shift
fi
. "$tree/examples/node.sh"
start_node "$build/bin/tc-node" ${options[@]+"${options[@]}"}
TC_IFUNC_PATH=$build/examples/openmp timeout -k 5 120 \
    "$build/examples/openmp/sum_source" "$address" "$@" || { cat "$scratch/log" >&2; exit 1; }
