#!/usr/bin/env bash
# Searches a graph that several processes hold a part of each, and checks every distance.
#   examples/bfs/run.sh BUILD_DIR [-n RANKS] [OPTION...]
#     -n RANKS    default: 4
#     OPTION...   of bfs_run, see there: --scale, --edges, --seed, --roots
# Exit status 0 only when all distances are those of a search in one process.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [-n RANKS] [OPTION...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
ranks=4
if [ "${1-}" = -n ]; then
    ranks=${2:?"-n needs a number"}
    shift 2
fi
example=$build/examples/bfs
TC_IFUNC_PATH=$example exec timeout -k 5 300 "$build/bin/tc-run" -n "$ranks" "$example/bfs_run" "$@"
