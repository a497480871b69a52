#!/usr/bin/env bash
# Servers answer queries by a function that reads the query, and by one that is made for it there.
#   examples/specialise/run.sh BUILD_DIR [-n SERVERS] [--static] [ROWS [ROUNDS]]
#     -n SERVERS   default: 1
#     --static     by the program that has the library in itself
# Exit status 0 only when all answers are right. Both functions are compiled for the very processor before their first call,
# so that nothing but the query makes the difference.
set -euo pipefail
usage() {
    echo "usage: $0 BUILD_DIR [-n SERVERS] [--static] [ROWS [ROUNDS]]" >&2
    exit 2
}
[ $# -ge 1 ] || usage
build=$(cd "$1" && pwd)
shift
servers=1
program=specialise_run
while [ $# -gt 0 ]; do
    case $1 in
        -n) servers=${2:?"-n needs a number"}; shift 2 ;;
        --static) program=specialise_run_static; shift ;;
        -*) usage ;;
        *) break ;;
    esac
done
example=$build/examples/specialise
TC_FORM=bitcode TC_TIER=best TC_CACHE_DIR='' TC_IFUNC_PATH=$example TC_ENGINE_PATH=${TC_ENGINE_PATH:-$build/lib} \
    exec timeout -k 5 300 "$build/bin/tc-run" -n $((servers + 1)) "$example/$program" "$@"
