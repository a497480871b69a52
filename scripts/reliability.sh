#!/usr/bin/env bash
# The long form of the reliability tests (docs/reliability.md): builds the preset `release`, or another one, and runs
# every cell of every part, with progress, a table and a JSON file for each part in build/reliability.
#   scripts/reliability.sh                          all parts once: about an hour
#   scripts/reliability.sh --rounds 10 --load 8     the same ten times, beside eight processes that compute
#   scripts/reliability.sh attacks --seconds 600 --only frames      one scenario, ten minutes on each delivery
#   scripts/reliability.sh traffic --messages 250000000             10^9 messages, on four deliveries
#   TC_PRESET=asan scripts/reliability.sh attacks --seconds 30      under the sanitizer
# Other arguments are those of tests/reliability/reliability.py.
set -euo pipefail
cd "$(dirname "$0")/.."

parts=(matrix limits attacks traffic)
if [[ ${1:-} =~ ^(matrix|limits|attacks|traffic)$ ]]; then
  parts=("$1")
  shift
fi
preset=${TC_PRESET:-release}
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -j "$(nproc)"
if [[ $preset == asan ]]; then
  export UCX_MEM_MMAP_HOOK_MODE=none RELIABILITY_MEMORY_FACTOR=8 ASAN_OPTIONS=quarantine_size_mb=1:fast_unwind_on_malloc=0
  export LSAN_OPTIONS=suppressions=$PWD/tests/support/lsan_ucx.supp:print_suppressions=0
fi
mkdir -p build/reliability
status=0
for part in "${parts[@]}"; do
  long=(--seconds 10 --messages 10000000)
  python3 -B tests/reliability/reliability.py "build/$preset" "$part" --long "${long[@]}" \
    --json "build/reliability/$part.json" "$@" || status=$?
done
exit "$status"
