#!/usr/bin/env bash
# Puts each defect of tests/sim/defects back into a copy of the tree, one at a time, and has sim-explore look for it in worlds
# from seed 1. Prints a table; fails if a defect was not found.
#   scripts/sim-defects.sh [PATCH ...]     all of tests/sim/defects without arguments; NAME.steps.patch is for sim-explore-steps
#   scripts/sim-defects.sh --check         only whether all apply to the sources
#   SIM_DEFECTS_EVENTS=1e6                 events until a defect counts as not found (default 1e7)
#   SIM_DEFECTS_DIR=/tmp/sim-defects       the copy and its build stay there for the next time
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --check ]; then
    for patch in tests/sim/defects/*.patch; do
        git apply --check "$patch"
    done
    exit
fi
[ $# -gt 0 ] || set -- tests/sim/defects/*.patch
patches=$(realpath "$@")
events=${SIM_DEFECTS_EVENTS:-1e7}
if [ -n "${SIM_DEFECTS_DIR:-}" ]; then
    work=$SIM_DEFECTS_DIR
    mkdir -p "$work"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

# Files that have not changed keep their times, so that little is built again.
mkdir -p "$work/source"
git ls-files -coz --exclude-standard | xargs -0 cp -pu --parents -t "$work/source"
build=$work/build
export GIT_CEILING_DIRECTORIES=$work # the copy is no part of a repository
[ -f "$build/build.ninja" ] ||
    cmake --preset test -DTC_VARIANT_TESTS=OFF -B "$build" -S "$work/source" >"$work/cmake.log"

# Prints one row of the table for a patch.
look_for() {
    local patch=$1 output status=0 found message name program=sim-explore
    name=$(basename "$patch" .patch)
    case $name in *.steps) program=sim-explore-steps ;; esac
    (cd "$work/source" && git apply "$patch")
    if ! cmake --build "$build" --target "$program" >"$work/build.log" 2>&1; then
        tail -20 "$work/build.log" >&2
        output="it does not build" status=2
    else
        output=$(timeout 900 "$build/tests/sim/$program" --seed 1 --events "$events" 2>&1) || status=$?
    fi
    (cd "$work/source" && git apply -R "$patch")
    found=$(sed -n 's/^found after \([0-9]*\) events in [0-9]* worlds, seed \([0-9]*\)$/\1 | \2/p' <<<"$output")
    message=$(sed -n 's/^FAILED: //p' <<<"$output" | head -1)
    if [ "$status" -eq 1 ] && [ -n "$found" ]; then
        echo "| $name | $found | $message |"
    elif [ "$status" -gt 2 ] && [ "$status" -ne 124 ]; then # an assertion, or a crash
        found=$(sed -n 's/^in the world of seed \([0-9]*\), after \([0-9]*\) events$/\2 | \1/p' <<<"$output")
        message=$(grep -v '^in the world' <<<"$output" | tail -1)
        echo "| $name | ${found:-? | ?} | ended by status $status: ${message:0:200} |"
    else
        echo "| $name | not found | | ${output:0:200} |"
        return 1
    fi
}

echo "| defect | events | seed | message |"
echo "|---|---|---|---|"
count=0 missed=0
for patch in $patches; do
    count=$((count + 1))
    look_for "$patch" || missed=$((missed + 1))
done
echo
echo "$((count - missed)) of $count defects found"
[ "$missed" -eq 0 ]
