#!/usr/bin/env bash
# Every test: installs what is missing, builds the preset `test`, and runs CTest, whose summary comes last. The sanitizers,
# the other compilers and the demo are tests of that run too (label `variant`). Arguments go to ctest:
#   scripts/test.sh                    everything
#   scripts/test.sh -LE variant        only this build's own tests
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh --tests
cmake --preset test
cmake --build build/test -j "$(nproc)"
# What failed is said last: of a long run often nothing but the end is kept.
ctest --test-dir build/test -j "$(nproc)" --no-tests=error "$@" || {
    scripts/failures.sh build/test
    exit 1
}
