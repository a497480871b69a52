#!/usr/bin/env bash
# Configures, builds and tests one preset in its own tree, build/PRESET, and says how it went in one line. Everything
# else is printed only when a step fails.
#   scripts/variant.sh asan|tsan|llvm22|clang|nollvm|aarch64|...
set -uo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/variant.sh PRESET}
build=build/$preset
log=$build/variant.log
mkdir -p "$build"

fail() {
    echo "variant $preset: $*" >&2
    exit 1
}

# Without its compiler a variant has not passed, so this is a failure and not a skip.
need() {
    command -v "$1" >/dev/null || fail "$1 is missing: install the package $2 (scripts/install-deps.sh --tests)"
}

step() {
    local what=$1
    shift
    if ! "$@" </dev/null >"$log" 2>&1; then
        tail -n 100 "$log"
        fail "$what failed: $*"
    fi
}

run_tests() {
    if ! ctest --test-dir "$build" -LE "$1" -E "$2" -j "$(nproc)" --no-tests=error </dev/null >"$log" 2>&1; then
        grep -m 1 'tests passed' "$log"
        scripts/failures.sh "$build"
        fail "testing failed"
    fi
}

case $preset in
    asan | tsan) need clang-19 clang-19 ;;
    clang) need clang-19 clang-19 ;;
    llvm22)
        need clang-22 clang-22
        need llvm-config-22 llvm-22-dev
        ;;
esac

# The matrix of deaths and attacks is in this run's own build and under the sanitizer that sees wild memory: what else it meets
# there no other compiler changes.
left_out=variant
case $preset in
    tsan | clang | llvm22) left_out='variant|reliability' ;;
esac

# How messages travel no other compiler and no other LLVM changes: there one way stands for all. clang's code for the others runs
# under the sanitizers.
names_left_out='^$'
case $preset in
    clang | llvm22) names_left_out='\.(am_shared_memory|am_tcp|put_shared_memory|put_tcp|stream|keyed|sealed)$' ;;
esac

start=$SECONDS
case $preset in
    # In what runs this as a test, the machine's own build is there already.
    aarch64 | x86_64) step "configuring" scripts/cross-aarch64.sh --configure ;;
    *) step "configuring" cmake --preset "$preset" ;;
esac
step "building" cmake --build "$build" -j "$(nproc)"
run_tests "$left_out" "$names_left_out"
summary=$(grep -m 1 'tests passed' "$log")
echo "variant $preset: $summary, $((SECONDS - start)) s with its build"
