#!/usr/bin/env bash
# The bindings of Rust: compiled by rustc alone, without warnings, then tested against a node; and what their types refuse.
#   check_bindings.sh SOURCE_DIR BUILD_DIR RUSTC
set -euo pipefail
tree=$1 build=$2
export RUSTC=$3 TC_AR=$2/bin/tc-ar
here=$tree/tests/rust crates=$tree/bindings/rust
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

compile=("$RUSTC" --edition 2021 -D warnings -L "$work" -L "$build/lib" --out-dir "$work")
"${compile[@]}" --crate-type rlib --crate-name tchains_sys "$crates/tchains-sys/src/lib.rs"
"${compile[@]}" --crate-type rlib --crate-name tchains --extern tchains_sys "$crates/tchains/src/lib.rs"
"${compile[@]}" --crate-name bindings_test --extern tchains -C link-arg="-Wl,-rpath,$build/lib" "$here/bindings_test.rs"

# And by cargo, which then has nothing to fetch.
if command -v cargo >/dev/null; then
    cp -r "$crates" copy
    mkdir copy/tchains/examples
    cp "$tree/examples/languages/rust/medians.rs" copy/tchains/examples/
    (cd copy && env -u RUSTC CARGO_HOME="$work/cargo" CARGO_TARGET_DIR="$work/target" TCHAINS_LIB_DIR="$build/lib" \
        cargo build --offline --quiet --examples)
    echo "cargo: $(ls target/debug/examples/medians)"
else
    echo "not tested: no cargo"
fi

for source in "$here"/refused/*.rs; do
    wanted=$(sed -n '1s/.*error\[\(E[0-9]*\)\].*/\1/p' "$source")
    if "${compile[@]}" --crate-type rlib --emit metadata --extern tchains "$source" 2>said; then
        echo "$source: compiles, expected error $wanted" >&2
        exit 1
    fi
    grep -q "^error\[$wanted\]" said || { cat said >&2 && echo "$source: expected error $wanted" >&2 && exit 1; }
    echo "refused: $(basename "$source" .rs), $wanted"
done

for function in sample missing; do
    "$crates/tc-rustc" --targets "$(uname -m)" "$here/$function.rs"
done
sed 's/fn sample/fn aborts/' "$here/sample.rs" >aborts.rs
"$crates/tc-rustc" --targets "$(uname -m)" --panic abort aborts.rs
if ! "$crates/tc-rustc" --std "$here/caught.rs" 2>said; then
    grep -q 'has no libstd-\*.so' said || { cat said >&2 && exit 1; }
    echo "not tested: $(cat said)"
    rm -f caught.tca
fi
# Each peer's functions run in a process of their own: one of them ends its process.
"$build/bin/tc-node" --isolate --listen 127.0.0.1:0 --port-file "$work/port" </dev/null >"$work/log" 2>&1 &
node=$!
for ((waited = 0; waited < 300; waited++)); do
    [ ! -s "$work/port" ] || break
    sleep 0.1
done
[ -s "$work/port" ] || { cat "$work/log" >&2 && exit 1; }
TC_IFUNC_PATH=$work timeout -k 5 100 ./bindings_test "127.0.0.1:$(cat "$work/port")" || { cat "$work/log" >&2 && exit 1; }
if ! grep -q "SIGABRT; running: function 'aborts'" "$work/log"; then
    cat "$work/log" >&2
    echo "the node did not say which function ended its process" >&2
    exit 1
fi
