#!/usr/bin/env bash
# Builds a configured tree and shows how far it is: on a terminal as ninja does, elsewhere a line now and then. When it fails,
# the compilers' messages come last.
#   scripts/build.sh BUILD [argument of cmake --build ...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/build.sh BUILD [argument ...]}
shift
log=$build/build.log
every=20 # seconds

# Filters its input.
now_and_then() {
    local line next=$((SECONDS + every))
    while IFS= read -r line; do
        if ((SECONDS >= next)) && [[ $line == \[*/*\]* ]]; then
            echo "$line"
            next=$((SECONDS + every))
        fi
    done
}

rm -f "$log"
if [ -t 1 ]; then
    exec cmake --build "$build" -j "$(nproc)" "$@"
fi
cmake --build "$build" -j "$(nproc)" "$@" </dev/null 2>&1 | tee "$log" | now_and_then || {
    scripts/failures.sh "$build"
    exit 1
}
rm -f "$log"
