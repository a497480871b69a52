#!/usr/bin/env bash
# Accounts that move between processes to their users, and are found at every location.
#   examples/objects/run.sh BUILD_DIR [-n RANKS] [OBJECTS [CALLS]]
# Exit status 0 only when every account has its expected value.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [-n RANKS] [OBJECTS [CALLS]]" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
ranks=4
if [ "${1-}" = -n ]; then
    ranks=${2:?"-n needs a number"}
    shift 2
fi
example=$build/examples/objects
TC_IFUNC_PATH=$example exec timeout -k 5 300 "$build/bin/tc-run" -n "$ranks" "$example/objects_run" "$@"
