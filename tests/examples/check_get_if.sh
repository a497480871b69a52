#!/usr/bin/env bash
# get_if on text unlike that of a folder of headers, and on input that must fail. check_get_if.sh
#   RUN_SH BUILD_DIR
set -euo pipefail
run=$(realpath "$1")
build=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch"

must_say() {
    local what=$1 text=$2
    shift 2
    if "$run" "$build" "$@" >"$scratch/out" 2>&1; then
        echo "$what: expected to fail" >&2
        exit 1
    fi
    if ! grep -q "$text" "$scratch/out"; then
        cat "$scratch/out" >&2
        echo "$what: nothing of '$text'" >&2
        exit 1
    fi
}

mkdir -p text/below
: >text/empty
printf '\n\n\n' >text/newlines
printf 'a line\nand one without its end' >text/below/no_end
seq 1 200000 >text/numbers
ln -s numbers text/link

# Everything, in many answers; nothing; some.
"$run" "$build" -n 3 '^' text
"$run" "$build" -n 1 'no such line' text
"$run" "$build" -n 3 '(1|2)9*$' text
"$run" "$build" -n 2 -F '99' text

must_say "a pattern that is none" "Unmatched" -n 2 '(' text
head -c 100000 /dev/zero | tr '\0' x >text/one_long_line
must_say "a line longer than an answer" "longer than an answer" -n 2 'x$' text
must_say "a missing folder" "nowhere" -n 2 'x' nowhere
