#!/usr/bin/env bash
# A stream's mean, variance and quantiles, kept at a node by a function in Julia and by the same one in C.
#   examples/languages/julia/run.sh BUILD_DIR [BATCHES [VALUES]]
# Exit status 0 only when both are right; 77, with the reason, where there is no Julia.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [BATCHES [VALUES]]" >&2; exit 2; }
tree=$(cd "$(dirname "$0")/../../.." && pwd)
build=$(cd "$1" && pwd)
if ! julia=$("$tree/scripts/install-julia.sh" --where 2>&1); then
    echo "skipped: $julia"
    exit 77
fi
. "$tree/examples/node.sh"
start_node "$build/bin/tc-node"
export JULIA_LOAD_PATH=$tree/bindings/julia:@stdlib JULIA_DEPOT_PATH=$scratch/depot TC_IFUNC_PATH=$build/examples/languages/julia
export TCHAINS_LIBRARY=$build/lib/libtchains.so TC_AR=$build/bin/tc-ar
timeout -k 5 100 "$julia" --startup-file=no "$tree/examples/languages/julia/stream.jl" "$address" \
    "${2:-2000}" "${3:-1000}" || { cat "$scratch/log" >&2; exit 1; }
