#!/usr/bin/env bash
# Starts an empty target, brings a service to it as a package, has clients use the service and replaces it meanwhile, and
# compares every answer with that of a plain program.
#   examples/time_series/run.sh BUILD_DIR [CLIENTS [REQUESTS [UPGRADES]]]
#     CLIENTS    1 to 8, default: 3
#     REQUESTS   of each, default: 20000
#     UPGRADES   default: 20
# Exit status 0 only when no request and no sample was lost.
set -euo pipefail
[ $# -ge 1 ] && [ $# -le 4 ] || { echo "usage: $0 BUILD_DIR [CLIENTS [REQUESTS [UPGRADES]]]" >&2; exit 2; }
build=$(cd "$1" && pwd)
example=$build/examples/time_series
scratch=$(mktemp -d)
node=
# Invoked by the trap.
end() {
    [ -z "$node" ] || { kill "$node" && wait "$node"; } 2>/dev/null || :
    rm -rf "$scratch"
}
trap end EXIT
trap 'exit 1' INT TERM

"$build/bin/tc-node" --listen 127.0.0.1:0 --port-file "$scratch/port" >"$scratch/summary" 2>"$scratch/log" &
node=$!
for _ in $(seq 300); do
    [ ! -s "$scratch/port" ] || break
    kill -0 "$node" 2>/dev/null || { cat "$scratch/log" >&2; exit 1; }
    sleep 0.1
done
timeout -k 5 300 "$example/series_run" "127.0.0.1:$(cat "$scratch/port")" "$example/series.tcp" "$example/series2.tcp" \
    "${2:-3}" "${3:-20000}" "${4:-20}" || { tail -20 "$scratch/log" >&2; exit 1; }
kill "$node"
wait "$node" || { echo "time_series: the target failed" >&2; exit 1; }
node=
cat "$scratch/summary"
