#!/usr/bin/env bash
# record_insert on input unlike a licence text, and on input that must fail. check_record_insert.sh
#   RUN_SH BUILD_DIR
set -euo pipefail
run=$1
build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch"

must_fail() {
    local what=$1 status=0
    shift
    "$run" "$build" "$@" >out 2>&1 || status=$?
    if [ "$status" -ne 1 ]; then
        cat out >&2
        echo "$what: status $status, expected 1" >&2
        exit 1
    fi
}

printf "quotes \"a\" 'b' ; -- \r\nand no line end" >"it's a \"name\""
printf 'nul\0inside\n\n\n\xff\xfe no UTF-8\n' >bytes
printf '\n\n\n' >newlines
: >empty
head -c 200000 /dev/zero | tr '\0' x >one_long_line
head -c 4096 /dev/urandom >random
"$run" "$build" --damage ./*

# Nothing to insert, nothing inserted.
"$run" "$build" empty

# The same rows twice are in the table once: the proof must see that.
must_fail "a file given twice" bytes bytes

# Random letters hardly pack: this line is larger than a frame, and goes in pieces; below the limit it is refused.
head -c 400000 /dev/urandom | base64 -w 0 >too_long
"$run" "$build" too_long
TC_PAYLOAD_BYTES_MAX=128K must_fail "a line above the payload limit" too_long
must_fail "a missing file" nowhere
