#!/usr/bin/env bash
# The smallest example does what its page says.
#   check_hello.sh HELLO_RUN_SH BUILD_DIR
set -euo pipefail
out=$("$1" "$2")
for call in 1 2 3; do
    if ! grep -qx "hello, world (call $call here)" <<<"$out"; then
        printf 'no call %d in:\n%s\n' "$call" "$out" >&2
        exit 1
    fi
done
