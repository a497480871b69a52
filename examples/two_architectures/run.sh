#!/usr/bin/env bash
# One function on both architectures: starts targets of two builds, each for images and for bitcode, sends them the function
# primes from this machine's, and shows a table.
#   examples/two_architectures/run.sh BUILD_DIR GUEST_BUILD_DIR
# GUEST_BUILD_DIR is the output of scripts/cross-aarch64.sh. Exit status 0 only when all results are
# right.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 BUILD_DIR GUEST_BUILD_DIR" >&2; exit 2; }
build=$(cd "$1" && pwd)
guest=$(cd "$2" && pwd)
scratch=$(mktemp -d)
nodes=()
targets=()

# Each node is ended by its id, whatever happened.
clean() {
    local node
    for node in ${nodes[@]+"${nodes[@]}"}; do
        kill -KILL "$node" 2>/dev/null || true
        wait "$node" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 1' INT TERM

# start NAME FORM PROGRAM: a target that takes functions in that form.
start() {
    local port=$scratch/port${#nodes[@]} log=$scratch/log${#nodes[@]} waited
    TC_FORM=$2 TC_CACHE_DIR='' "$3" --listen 127.0.0.1:0 --port-file "$port" </dev/null >"$log" 2>&1 &
    nodes+=($!)
    for ((waited = 0; waited < 300; waited++)); do
        [ ! -s "$port" ] || break
        sleep 0.1
    done
    [ -s "$port" ] || { cat "$log" >&2; return 1; }
    targets+=("$1" "$2" "127.0.0.1:$(cat "$port")")
}

for form in image bitcode; do
    start "this machine" "$form" "$build/bin/tc-node"
    start "qemu" "$form" "$guest/tests/mixed/guest/tc-node"
done
timeout -k 5 120 "$build/examples/two_architectures/primes_source" "$build/examples/two_architectures/primes.tca" "${targets[@]}"
