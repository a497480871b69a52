#!/usr/bin/env bash
# Functions in Rust, Fortran and D, made here for both architectures, run at a node of the other one, as images and as bitcode. A
# language without a compiler is left out; without any the test is skipped.
#   check_languages.sh SOURCE_DIR HOST_BUILD GUEST_PROGRAMS
set -euo pipefail
tree=$1 host=$2 guest=$3
export TC_AR=$host/bin/tc-ar TC_CACHE_DIR=''
work=$(mktemp -d)
node=

clean() {
    if [ -n "$node" ]; then
        kill -TERM "$node" 2>/dev/null || true
        wait "$node" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM
cd "$work"
made=()

# pack NAME: an archive of the compiled files, NAME.*.bc
pack() {
    "$TC_AR" create "$1" "$1".*.bc -o "$1.tca"
    made+=("$1")
}

if RUSTC=/usr/bin/rustc "$tree/bindings/rust/tc-rustc" --targets x86_64,aarch64 "$tree/tests/rust/sample.rs" 2>said; then
    made+=(sample)
else
    cat said
fi
for arch in x86_64 aarch64; do
    ! command -v flang-new-19 >/dev/null ||
        flang-new-19 --target=$arch-linux-gnu -O2 -emit-llvm -c "$tree/examples/languages/fortran/line_fit.f90" -o line_fit.$arch.bc
    ! command -v ldc2 >/dev/null ||
        ldc2 -betterC -O2 --mtriple=$arch-linux-gnu --output-bc -c "$tree/examples/languages/d/histogram.d" -of=histogram.$arch.bc
done
[ ! -e line_fit.x86_64.bc ] || pack line_fit
[ ! -e histogram.x86_64.bc ] || pack histogram
if [ ${#made[@]} -eq 0 ]; then
    echo "skipped: no rustc with the core library of both architectures, no flang-new-19, no ldc2"
    exit 77
fi

# The answers, as numbers of eight bytes or as text.
declare -A payload=([sample]=echo [histogram]='a1 b2!')
declare -A expected=([sample]='6563686f' [histogram]='020000000000000002000000000000000200000000000000'
    [line_fit]='000000000000f03f0000000000000040')
python3 -c 'import array; array.array("d", [1, 2, 3, 4, 3, 5, 7, 9]).tofile(open("points", "wb"))'

for form in image bitcode; do
    rm -f port
    TC_FORM=$form "$guest/tc-node" --listen 127.0.0.1:0 --port-file "$work/port" </dev/null >log 2>&1 &
    node=$!
    for ((waited = 0; waited < 600; waited++)); do
        [ ! -s port ] || break
        sleep 0.1
    done
    [ -s port ] || { cat log >&2 && exit 1; }
    for name in "${made[@]}"; do
        arguments=(--text "${payload[$name]-}")
        [ "$name" != line_fit ] || arguments=(--payload points)
        answer=$("$host/bin/tc-send" "127.0.0.1:$(cat port)" "$name.tca" --call "${arguments[@]}" | od -An -v -t x1 | tr -d ' \n')
        if [ "$answer" != "${expected[$name]}" ]; then
            cat log >&2
            echo "$name as $form: found $answer, expected ${expected[$name]}" >&2
            exit 1
        fi
        echo "$name as $form: $answer"
    done
    kill -TERM "$node"
    wait "$node" || { cat log >&2 && exit 1; }
    node=
done
