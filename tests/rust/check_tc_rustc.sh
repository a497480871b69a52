#!/usr/bin/env bash
# The output of tc-rustc, and its errors. check_tc_rustc.sh SOURCE_DIR BUILD_DIR RUSTC
set -euo pipefail
tree=$1 build=$2
export RUSTC=$3 TC_AR=$2/bin/tc-ar
tool=$tree/bindings/rust/tc-rustc
machine=$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# refuses STATUS TEXT ARGUMENT...: tc-rustc ends with that status and that text.
refuses() {
    local status=0
    "$tool" "${@:3}" >said 2>&1 || status=$?
    if [ "$status" != "$1" ] || ! grep -qF -- "$2" said; then
        cat said
        echo "tc-rustc ${*:3}: status $status, expected $1 and '$2'"
        exit 1
    fi >&2
    echo "status $1: $2"
}

cat >seen.rs <<'END'
#![no_std]
use core::sync::atomic::{AtomicU64, Ordering};
use tchains_ifunc::{ifunc, Failure, Message};

static SEEN: AtomicU64 = AtomicU64::new(0);

ifunc! {
    fn seen(message: &mut Message) -> Result<(), Failure> {
        message.reply(&SEEN.fetch_add(1, Ordering::Relaxed).to_ne_bytes())
    }
}
END
"$tool" --targets "$machine" seen.rs
"$TC_AR" verify seen.tca
# Nothing in it can panic, so it has no guard; a function that can panic has one.
needs=$("$TC_AR" show seen.tca)
sed 's/fn seen/fn third/; s/message.reply(.*/{ let byte = message.payload()[2]; message.reply(\&[byte]) }/' seen.rs >third.rs
"$tool" --targets "$machine" third.rs
more=$("$TC_AR" show third.tca)
if [[ $needs == *tc_self_guard* || $more != *tc_self_guard* || $more != *tc_self_abandon* ]]; then
    printf '%s\n' "$needs" "$more" "the first has a guard, or the second has none" >&2
    exit 1
fi
mkdir images
"$tool" --targets "$machine" --forms image -o images/seen.tca seen.rs
if "$TC_AR" list images/seen.tca | grep bitcode; then
    echo "bitcode, and images alone were asked for" >&2
    exit 1
fi
# Its contents are the same each time, in every folder.
"$tool" --targets "$machine" -o images/seen.tca seen.rs
cmp seen.tca images/seen.tca

refuses 2 "expected a source, NAME.rs"
refuses 2 "one source at a time, found a.rs and b.rs" a.rs b.rs
refuses 2 "no target riscv64; expected x86_64 or aarch64" --targets riscv64 seen.rs
refuses 2 "no --panic unwind; expected abort or leave" --panic unwind seen.rs
refuses 2 "--panic abort goes without --std" --panic abort --std seen.rs
other=aarch64
[ "$machine" = x86_64 ] || other=x86_64
TC_RUST_CORE=$work/none refuses 1 "no core library of $other for rustc" --targets $other seen.rs
RUSTC=no-such-rustc refuses 1 "no no-such-rustc here" seen.rs
TC_AR=no-such-ar refuses 1 "no no-such-ar here" seen.rs
echo 'fn main() { missing() }' >broken.rs
refuses 1 "cannot find function \`missing\`" --targets "$machine" broken.rs
printf '#![no_std]\nuse tchains_ifunc as _;\n' >empty.rs
refuses 1 "'empty_main' is not defined" --targets "$machine" empty.rs
cat >keyed.rs <<'END'
use std::collections::HashMap;
use tchains_ifunc::{ifunc, Failure, Message};

ifunc! {
    fn keyed(message: &mut Message) -> Result<(), Failure> {
        let kinds: HashMap<u8, ()> = message.payload().iter().map(|&byte| (byte, ())).collect();
        message.reply(&[kinds.len() as u8])
    }
}
END
"$tool" --std keyed.rs >said 2>&1 || true
if grep 'has no libstd-\*.so' said; then
    echo "note: nothing is made with the standard library here"
else
    refuses 1 "thread-local variable" --std keyed.rs
fi

# A typed function has its prototype, and with the standard library nothing of the crates is left to be found at the target.
sed 's/_rust//' "$tree/tests/pairs/blend_rust.rs" >blend.rs
"$tool" --targets "$machine" blend.rs
"$TC_AR" show blend.tca | grep -F 'prototype ({f64,f64},text,f64[],inout f32[],out {f64,i32},out i32[],bool)->f64'
sed -i '/no_std/d' blend.rs
if "$tool" --std blend.rs 2>said; then
    ! "$TC_AR" show blend.tca | grep -E 'tchains_(sys|ifunc)'
else
    grep 'has no libstd-\*.so' said
fi

# Where the other architecture's core library is there (bindings/rust/core-library), one archive has both.
if "$tool" --targets $other -o images/seen.tca seen.rs 2>/dev/null; then
    "$tool" seen.rs
    "$TC_AR" list seen.tca
    [ "$("$TC_AR" list seen.tca | wc -l)" = 4 ]
else
    echo "note: no core library of $other here"
fi
