#!/usr/bin/env bash
# Executes docs/julia.md, at -O1 as run.sh. Exit status 77, with the reason, where there is no Julia.
#   document.sh ROOT BUILD_DIR C_COMPILER...
set -euo pipefail
root=$1
if ! julia=$("$root/scripts/install-julia.sh" --where 2>&1); then
    echo "skipped: $julia"
    exit 77
fi
quick=$2/tests/julia/quick
mkdir -p "$quick"
printf '#!/bin/sh\nexec "%s" -O1 "$@"\n' "$julia" >"$quick/julia"
chmod +x "$quick/julia"
PATH=$quick:$PATH JULIA_DEPOT_PATH=$2/tests/julia/depot \
    exec python3 -B "$root/tests/manuals/run_document.py" "$root/docs/julia.md" "$@"
