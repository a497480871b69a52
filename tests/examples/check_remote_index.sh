#!/usr/bin/env bash
# Lookups in each way, by groups of several sizes and deliveries: all find their values.
#   check_remote_index.sh RUN_SH BUILD_DIR
set -euo pipefail
run=$1
build=$2
"$run" "$build" -n 3 5000 300
# All ranks' parts are the caller's own.
"$run" "$build" -n 1 500 100
# One leaf, which is the root.
TC_FORM=bitcode "$run" "$build" -n 2 1 50
TC_DELIVERY=stream "$run" "$build" -n 4 16384 100
if "$run" "$build" -n 1 16385 1 2>/dev/null; then
    echo "too many keys were taken" >&2
    exit 1
fi
