#!/usr/bin/env bash
# Runs a test of bindings/julia. Exit status 77, with the reason, where there is no Julia.
#   run.sh ROOT BUILD_DIR TEST.jl [ARGUMENT...]
# At -O1, which has Julia compile the bindings in half the time and functions as ever; JULIA_LEVEL is another.
set -euo pipefail
root=$1
build=$(cd "$2" && pwd)
shift 2
if ! julia=$("$root/scripts/install-julia.sh" --where 2>&1); then
    echo "skipped: $julia"
    exit 77
fi
export JULIA=$julia JULIA_LOAD_PATH=$root/bindings/julia:$root/tests/julia:@stdlib
export JULIA_DEPOT_PATH=${JULIA_DEPOT_PATH:-$build/tests/julia/depot}
export TCHAINS_LIBRARY=$build/lib/libtchains.so TC_AR=$build/bin/tc-ar PATH=$build/bin:$PATH
export TC_IFUNC_PATH=${TC_IFUNC_PATH:-$build/tests/julia}
mkdir -p "$JULIA_DEPOT_PATH"
exec "$julia" --startup-file=no --history-file=no --color=no "${JULIA_LEVEL:--O1}" "$@"
