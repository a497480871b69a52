#!/usr/bin/env bash
# Starts a target, sends it the function hello three times, stops it, prints what it printed.
#   examples/hello/run.sh BUILD_DIR
set -euo pipefail
build=$(cd "${1:?usage: $0 BUILD_DIR}" && pwd)
scratch=$(mktemp -d)
node=

clean() {
    [ -z "$node" ] || kill -KILL "$node" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 1' INT TERM

"$build/bin/tc-node" --listen 127.0.0.1:0 --port-file "$scratch/port" \
    </dev/null >"$scratch/node.out" 2>"$scratch/node.log" &
node=$!
for ((waited = 0; waited < 300; waited++)); do
    [ ! -s "$scratch/port" ] || break
    sleep 0.1
done
timeout -k 5 60 "$build/bin/tc-send" "127.0.0.1:$(cat "$scratch/port")" \
    "$build/examples/hello/hello.tca" --text world --count 3
kill -INT "$node"
wait "$node"
node=
cat "$scratch/node.out"
