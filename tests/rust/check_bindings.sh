#!/usr/bin/env bash
# The bindings of Rust: compiled by rustc alone, without warnings, then tested against a node; and programs that their
#   types refuse. check_bindings.sh SOURCE_DIR BUILD_DIR RUSTC
set -euo pipefail
tree=$1 build=$2
export RUSTC=$3 TC_AR=$2/bin/tc-ar
here=$tree/tests/rust crates=$tree/bindings/rust
. "$tree/examples/node.sh"
work=$scratch
cd "$work"

compile=("$RUSTC" --edition 2021 -D warnings -L "$work" -L "$build/lib" --out-dir "$work")
"${compile[@]}" --crate-type rlib --crate-name tchains_sys "$crates/tchains-sys/src/lib.rs"
"${compile[@]}" --crate-type rlib --crate-name tchains --extern tchains_sys "$crates/tchains/src/lib.rs"
"${compile[@]}" --crate-name bindings_test --extern tchains -C link-arg="-Wl,-rpath,$build/lib" "$here/bindings_test.rs"

# As they are installed, and by cargo, which then has nothing to fetch.
cmake --install "$build" --component rust --prefix "$work/installed" >installed.log
if command -v cargo >/dev/null; then
    mkdir -p program/src
    cp "$tree/examples/languages/rust/medians.rs" program/src/main.rs
    printf '[package]\nname = "medians"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\ntchains = { path = "%s" }\n' \
        "$work/installed/share/tchains/rust/tchains" >program/Cargo.toml
    sed -n '/^```rust build.rs$/,/^```$/p' "$tree/docs/rust.md" | grep -v '^```' >program/build.rs
    (cd program && env -u RUSTC CARGO_HOME="$work/cargo" CARGO_TARGET_DIR="$work/target" TCHAINS_LIB_DIR="$build/lib" \
        cargo build --offline --quiet)
    found=$(env -u LD_LIBRARY_PATH ldd target/debug/medians | grep libtchains)
    case $found in
        *"$build/lib/"*) echo "cargo: $found" ;;
        *) echo "the program that cargo made does not find libtchains by itself: $found" >&2 && exit 1 ;;
    esac
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

cp "$build/tests/shipped/sloped.tca" .
for function in sample missing sloped_rust; do
    installed/bin/tc-rustc --targets "$(uname -m)" "$here/$function.rs"
done
installed/bin/tc-rustc --targets "$(uname -m)" "$tree/tests/pairs/join_rust.rs"
sed 's/fn sample/fn aborts/' "$here/sample.rs" >aborts.rs
"$crates/tc-rustc" --targets "$(uname -m)" --panic abort aborts.rs
if ! "$crates/tc-rustc" --std "$here/caught.rs" 2>said; then
    grep -q 'has no libstd-\*.so' said || { cat said >&2 && exit 1; }
    echo "not tested: $(cat said)"
    rm -f caught.tca
fi
# Parts that travel with functions: a library, a function that uses it, and both as a package.
mkdir box
cat >box/scale.c <<'END'
int scale_factor = 3;
int scale_by(int number);
int scale_by(int number)
{
    return number * scale_factor;
}
END
cat >box/scaled.c <<'END'
#include <tc/entry.h>

int scale_by(int number);

TC_PROTOTYPE(scaled, "(i32)->i32");

void scaled_main(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    if (size == sizeof(int)) {
        int answer = scale_by(*(int *)payload);
        (void)tc_reply(&answer, sizeof answer);
    }
}
END
printf 'library 1 scale from scale.c\nfunction 10 scaled uses scale\n' >box/package.txt
targets=--targets=$(uname -m)
"$build/bin/tc-clang" --library "$targets" box/scale.c -o scale.tca
"$build/bin/tc-clang" --uses=scale "$targets" -I "$tree/include" box/scaled.c -o scaled.tca
"$build/bin/tc-package" build box -o box.tcp --quiet --no-local -- "$targets" -I "$tree/include"
if "$build/bin/tc-node" --make-key "$work/key" >said 2>&1; then
    export TEST_KEY=$work/key
fi
# Each peer's functions run in a process of their own: one of them ends its process.
start_node "$build/bin/tc-node" --isolate
TC_IFUNC_PATH=$work timeout -k 5 100 ./bindings_test "$address" || { cat "$work/log" >&2 && exit 1; }
if ! grep -q "SIGABRT; running: function 'aborts'" "$work/log"; then
    cat "$work/log" >&2
    echo "the node did not say which function ended its process" >&2
    exit 1
fi
