#!/usr/bin/env bash
# Every test: installs missing packages, builds the preset `test`, and runs CTest. Its summary comes last. The sanitizers,
# the other compilers and the demo are tests of that run too (label `variant`). Arguments go to ctest:
#   scripts/test.sh                    everything
#   scripts/test.sh -LE variant        only this build's own tests
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh --tests
# The same object files come again in most runs: of the variants too, and of another clone. A file that is not there costs
# a twentieth more than its compiler.
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_DEPEND=1 CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$PWD"
fi
cmake --preset test
scripts/build.sh build/test
# Most tests wait for other processes more than they compute. Not more of them at a time: a message's turns to and fro take long
# behind many. One more is for the builds of the variants, one after another, which use the processor time that the tests leave.
# The output of a failed test follows its line, and comes again at the end: of a long run often a part alone is kept.
ctest --test-dir build/test -j "$((2 * $(nproc) + 1))" --no-tests=error --output-on-failure "$@" || {
    scripts/failures.sh build/test
    exit 1
}
