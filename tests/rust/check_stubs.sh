#!/usr/bin/env bash
# Callers in Rust that tc-clang --stubs has made. check_stubs.sh SOURCE_DIR BUILD_DIR RUSTC
set -euo pipefail
tree=$1 build=$2 rustc=$3
. "$tree/examples/node.sh"
cd "$scratch"
compile=("$rustc" --edition 2021 -D warnings -L "$scratch" -L "$build/lib" --out-dir "$scratch")
crates=$tree/bindings/rust
"${compile[@]}" --crate-type rlib --crate-name tchains_sys "$crates/tchains-sys/src/lib.rs"
"${compile[@]}" --crate-type rlib --crate-name tchains --extern tchains_sys "$crates/tchains/src/lib.rs"
DEEDS=$build/tests/stubs "${compile[@]}" --crate-name stubs_test --extern tchains -C link-arg="-Wl,-rpath,$build/lib" \
    "$tree/tests/rust/stubs_test.rs"
start_node "$build/bin/tc-node" --isolate
TC_IFUNC_PATH=$build/tests/stubs timeout -k 5 100 ./stubs_test "$address" || { cat "$scratch/log" >&2 && exit 1; }
