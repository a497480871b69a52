#!/usr/bin/env bash
# Builds a release and shows it at work: a function that compresses here and fills a database there, on real text files,
# then how fast a small function travels on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/release

heading() {
    printf '\n== %s\n\n' "$*"
}

# Output of a step that only matters when the step fails.
quietly() {
    local log
    log=$(mktemp)
    if ! "$@" >"$log" 2>&1; then
        cat "$log"
        rm -f "$log"
        echo "demo: failed: $*" >&2
        return 1
    fi
    rm -f "$log"
}

heading "dependencies"
scripts/install-deps.sh

heading "build ($build)"
quietly cmake --preset release
quietly cmake --build "$build"
"$build/bin/tc-info"

heading "record_insert: records travel compressed, a function unpacks them into the target's database"
examples/record_insert/run.sh "$build"

heading "tsi: the smallest function, against the machine's limit and against plain UCX"
"$build/bin/tc-perf" tsi
