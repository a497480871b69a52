#!/usr/bin/env bash
# An operation of active messages in a language: compiles it, shows its archive, and sends it in a job of two ranks.
# Exit status 77, with the reason, where the language's compiler is not there.
#   check_language.sh cpp | rust | fortran | julia | python ROOT BUILD_DIR PROGRAM [COMPILER]
set -euo pipefail
language=$1 root=$2 build=$(cd "$3" && pwd) program=$4 compiler=${5:-}
name=am_sum_$language
source=$root/tests/am/languages/$name
machine=$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$build/bin:$PATH
cd "$work"

skip() {
    echo "skipped: $1"
    exit 77
}

refused=TC_E_INVALID below=TC_E_THROWN text=
case $language in
    cpp)
        tc-clang -std=c++17 -Wall -Wextra -Werror -O2 --targets="$machine" -I"$root/include" "$source.cpp"
        text="the function threw std::out_of_range: a number below 0"
        ;;
    rust)
        [ -x "$compiler" ] || skip "no rustc: package rustc"
        llvm=$("$compiler" -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
        newest=$(tc-ar --version | sed -n 's/.*LLVM \([0-9]*\).*/\1/p')
        [ "$llvm" -le "$newest" ] || skip "$compiler writes LLVM $llvm, and this build reads up to $newest"
        RUSTC=$compiler TC_AR=$build/bin/tc-ar "$root/bindings/rust/tc-rustc" --targets "$machine" "$source.rs"
        text="the function panicked at "
        ;;
    fortran)
        command -v flang-new-19 >/dev/null || skip "no flang-new-19: package flang-19"
        for target in x86_64 aarch64; do
            flang-new-19 --target=$target-linux-gnu -O2 -emit-llvm -I"$root/bindings/fortran" -c "$source.f90" -o "$target.bc"
        done
        tc-ar create "$name" x86_64.bc aarch64.bc -o "$name.tca"
        below=TC_E_INVALID text="a number below 0"
        ;;
    julia)
        "$root/tests/julia/run.sh" "$root" "$build" "$root/bindings/julia/compile.jl" "$source.jl" "$work" "$name"
        tc-ar create "$name" "$name.x86_64.bc" "$name.aarch64.bc" -o "$name.tca"
        below=TC_E_INVALID text="a number below 0"
        ;;
    python)
        export PYTHONPATH=$build/python NUMBA_CACHE_DIR=$work PYTHONDONTWRITEBYTECODE=1
        "$compiler" -c 'import numba, tchains' || skip "no Numba: package python3-numba"
        "$compiler" "$source.py"
        refused=TC_E_THROWN text="IndexError: a number below 0"
        ;;
esac
shown=$(tc-ar show "$name.tca")
if [[ $shown != *"shape    active message"* ]] || [[ $(tc-ar show --json "$name.tca") != *'"active_message":true'* ]]; then
    echo "$shown"
    echo "tc-ar show: expected a line 'shape    active message'"
    exit 1
fi
for form in image bitcode; do
    [[ $shown == *" $form "* ]] || continue
    TC_FORM=$form TC_IFUNC_PATH=$work TC_ENGINE_PATH=$build/lib \
        tc-run --timeout 100 -n 2 "$program" "$name" "$refused" "$below" "$text"
    echo "$name as $form: passed"
done
[ "$language" = rust ] || exit 0
sed 's/^#!\[no_std\]//' "$source.rs" >"$name.rs"
RUSTC=$compiler TC_AR=$build/bin/tc-ar "$root/bindings/rust/tc-rustc" --std --targets "$machine" "$name.rs"
LD_LIBRARY_PATH=$("$compiler" --print sysroot)/lib TC_IFUNC_PATH=$work TC_ENGINE_PATH=$build/lib \
    tc-run --timeout 100 -n 2 "$program" "$name" "$refused" "$below" "the function panicked: a number below 0"
echo "$name with the standard library: passed"
