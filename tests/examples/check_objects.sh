#!/usr/bin/env bash
# Objects that move, with groups of several sizes: every call finds its object, and is run once.
#   check_objects.sh RUN_SH BUILD_DIR
set -euo pipefail
run=$1
build=$2
"$run" "$build" -n 4 64 500
# One object that all ranks want; with bitcode a message waits for the code that brings the object.
TC_FORM=bitcode "$run" "$build" -n 3 1 300
# Calls and moves that wait for space.
TC_RING_BYTES=4K TC_SEND_QUEUE_BYTES=16K "$run" "$build" -n 3 20 500
TC_DELIVERY=am "$run" "$build" -n 2 10 300
said=$("$run" "$build" -n 1 3 50)
grep -q '^3 of 3 accounts right after 50 calls; 0 moves, 0 away from home$' <<<"$said" || {
    echo "found '$said', expected objects that stay" >&2
    exit 1
}
