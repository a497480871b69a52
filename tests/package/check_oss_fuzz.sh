#!/usr/bin/env bash
# packaging/oss-fuzz/build.sh in folders like those of OSS-Fuzz: two of its fuzzers are built, with their corpora beside them, and
# run for a moment.
#   check_oss_fuzz.sh SOURCE_FOLDER CLANG
set -euo pipefail
tree=$1 clang=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/src" "$scratch/out" "$scratch/work"
ln -s "$tree" "$scratch/src/three-chains"
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n); int LLVMFuzzerTestOneInput(const char *d, unsigned long n)
{ (void)d; (void)n; return 0; }' >"$scratch/none.c"
if ! "$clang" -fsanitize=fuzzer "$scratch/none.c" -o "$scratch/none" 2>/dev/null; then
    echo "skipped: $clang has no libFuzzer (package libclang-rt-19-dev)"
    exit 77
fi
# Without a sanitizer, which OSS-Fuzz gives by these words: the test is of the script, and there are runs with them already.
SRC=$scratch/src OUT=$scratch/out WORK=$scratch/work CC=$clang CFLAGS="-O0 -fsanitize=fuzzer-no-link" \
    LIB_FUZZING_ENGINE=-fsanitize=fuzzer "$tree/packaging/oss-fuzz/build.sh" frame zstd_frame
for fuzzer in frame zstd_frame; do
    [ -s "$scratch/out/${fuzzer}_seed_corpus.zip" ] || { echo "no corpus beside $fuzzer" >&2 && exit 1; }
    mkdir "$scratch/found-$fuzzer" # libFuzzer adds to the first folder
    "$scratch/out/$fuzzer" -runs=2000 "$scratch/found-$fuzzer" "$tree/tests/fuzz/corpus/$fuzzer" >"$scratch/said" 2>&1 ||
        { cat "$scratch/said" >&2 && exit 1; }
    tail -n 1 "$scratch/said"
done
