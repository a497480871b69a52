#!/usr/bin/env bash
# Lookups in a hash table and a B+-tree of other processes, in each way that there is.
#   examples/remote_index/run.sh BUILD_DIR [-n RANKS] [OPTION...]
#     -n RANKS     default: 3, a client and two owners
#     OPTION...    those of index_run: --help lists them
# Exit status 0 only when every lookup was right.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [-n RANKS] [OPTION...]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
ranks=3
if [ "${1-}" = -n ]; then
    [ $# -ge 2 ] || { echo "$0: -n: expected a number of ranks behind it" >&2; exit 2; }
    ranks=$2
    shift 2
fi
example=$build/examples/remote_index
TC_IFUNC_PATH=$example exec timeout -k 5 300 "$build/bin/tc-run" -n "$ranks" "$example/index_run" "$@"
