#!/usr/bin/env bash
# Looks for lines in all text files below some folders, which several server processes hold, and proves with grep that
# exactly those came back.
#   examples/get_if/run.sh BUILD_DIR [-n SERVERS] [-F] [PATTERN [PATH...]]
#     -n SERVERS   default: 4
#     -F           PATTERN is a text, not a POSIX extended regular expression
#     PATTERN      default: undefined behaviou?r
#     PATH...      default: /usr/include
# Exit status 0 only when the lines are those that grep finds.
set -euo pipefail

usage() {
    echo "usage: $0 BUILD_DIR [-n SERVERS] [-F] [PATTERN [PATH...]]" >&2
    exit 2
}

[ $# -ge 1 ] || usage
build=$(cd "$1" && pwd)
shift
servers=4
kind=-E
while getopts n:F option; do
    case $option in
        n) servers=$OPTARG ;;
        F) kind=-F ;;
        *) usage ;;
    esac
done
shift $((OPTIND - 1))
pattern=${1-undefined behaviou?r}
[ $# -eq 0 ] || shift
paths=("$@")
[ $# -gt 0 ] || paths=(/usr/include)

options=()
[ "$kind" = -E ] || options+=(-F)
example=$build/examples/get_if
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

TC_IFUNC_PATH=$example timeout -k 5 300 "$build/bin/tc-run" -n $((servers + 1)) "$example/get_if_run" \
    ${options[@]+"${options[@]}"} -o "$scratch/found" -- "$pattern" "${paths[@]}"

# The order of files by server differs from grep's.
LC_ALL=C grep -rah "$kind" -e "$pattern" -- "${paths[@]}" >"$scratch/expected" || [ $? -eq 1 ]
LC_ALL=C sort "$scratch/expected" >"$scratch/expected.sorted"
LC_ALL=C sort "$scratch/found" >"$scratch/found.sorted"
cmp "$scratch/expected.sorted" "$scratch/found.sorted" || { echo "get_if: not the lines that grep finds" >&2; exit 1; }
printf '%-16s yes (%d lines)\n' "as grep finds" "$(wc -l <"$scratch/found")"
