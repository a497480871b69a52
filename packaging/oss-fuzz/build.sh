#!/bin/bash -eu
# Builds fuzzers as OSS-Fuzz asks: by $CC and $CFLAGS, linked with $LIB_FUZZING_ENGINE, into $OUT, each with its corpus beside it.
# They are those that need no library but libzstd, and are linked with the library in one file (scripts/amalgamate.py). The others,
# which need LLVM, libsodium, OpenSSL or UCX, run by scripts/fuzz.sh.
#   SRC=FOLDER OUT=FOLDER LIB_FUZZING_ENGINE=-fsanitize=fuzzer packaging/oss-fuzz/build.sh [FUZZER...]
tree=$SRC/three-chains
fuzzers=("$@")
[ $# -gt 0 ] || fuzzers=(cache_entry compile_message frame hello image image_bundle key_file prototype route run_message
    symbol_policy window_request zstd_frame)
work=${WORK:-$(mktemp -d)}
CC=${CC:-clang} CFLAGS=${CFLAGS:--O1 -gline-tables-only -fsanitize=address,fuzzer-no-link}
flags=(-std=c11 -D_GNU_SOURCE -DTC_WITHOUT_0_1 -fno-strict-aliasing -I"$tree/include" -I"$tree/runtime" -I"$tree/bitcode-archive")

python3 -B "$tree/scripts/amalgamate.py" --out "$work"
# shellcheck disable=SC2086 # options
$CC $CFLAGS -std=c11 -fno-strict-aliasing -c "$work/tchains.c" -o "$work/tchains.o"
for fuzzer in "${fuzzers[@]}"; do
    # shellcheck disable=SC2086
    $CC $CFLAGS "${flags[@]}" "$tree/tests/fuzz/${fuzzer}_fuzzer.c" "$work/tchains.o" $LIB_FUZZING_ENGINE -lzstd -lpthread -ldl \
        -o "$OUT/$fuzzer"
    (cd "$tree/tests/fuzz/corpus/$fuzzer" && python3 -B - "$OUT/${fuzzer}_seed_corpus.zip" <<'END'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as corpus:
    for name in sorted(os.listdir(".")):
        corpus.write(name)
END
    )
done
