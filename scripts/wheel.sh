#!/usr/bin/env bash
# Makes a wheel of the package for Python that holds all of the library: libtchains without UCX, its code engine with LLVM inside,
# tc-node and tc-send. It needs glibc and cffi alone; its tag states which glibc (bindings/python/elf_needs.py).
#   scripts/wheel.sh [--output FOLDER] [--build BUILD] [--python PYTHON] [--llvm N | --no-llvm]
# By default: out/ (the wheel), build/wheel, /usr/bin/python3, LLVM 19. Numba may use that LLVM or an
# older one. With --no-llvm its nodes run images alone, so no functions in Python. It needs no network.
set -euo pipefail
cd "$(dirname "$0")/.."
output=out
build=build/wheel
python=/usr/bin/python3
llvm=19

fail() {
    echo "wheel: $*" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
        --output) output=${2:?--output needs a folder} && shift 2 ;;
        --build) build=${2:?--build needs a folder} && shift 2 ;;
        --python) python=${2:?--python needs a program} && shift 2 ;;
        --llvm) llvm=${2:?--llvm needs a version} && shift 2 ;;
        --no-llvm) llvm= && shift ;;
        *)
            echo "usage: $0 [--output FOLDER] [--build BUILD] [--python PYTHON] [--llvm N | --no-llvm]" >&2
            exit 2
            ;;
    esac
done
missing=$("$python" -c 'import importlib.util as u
print(" ".join(n for n in ("cffi", "pip", "setuptools", "wheel") if u.find_spec(n) is None))') || fail "$python does not run"
[ -z "$missing" ] || fail "$python lacks $missing (Debian: apt install python3-cffi python3-pip python3-setuptools python3-wheel)"

# Every module but UCX's.
modules=$(sed -n -E 's/^tc_module\(([a-z]+).*/\1/p' runtime/CMakeLists.txt bitcode-archive/CMakeLists.txt | grep -vx ucx | paste -sd ';')
options=(
    -G Ninja -DCMAKE_BUILD_TYPE=Release -DTC_MODULES="$modules" -DTC_SELF_CONTAINED=ON
    -DTC_WITH_PMIX=OFF -DTC_WITH_TLS=OFF -DTC_BUILD_TESTS=OFF -DTC_BUILD_EXAMPLES=OFF
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON
    # For loaders before glibc 2.36.
    -DTC_PACKED_RELOCATIONS=OFF
)
if [ -n "$llvm" ]; then
    options+=(-DTC_LLVM_VERSION="$llvm")
    targets=(tchains tchains-orc tc-compile tc-node tc-send)
    files=(libtchains.so.1 libtchains-orc.so tc-compile)
else
    options+=(-DTC_WITH_LLVM=OFF)
    targets=(tchains tc-node tc-send)
    files=(libtchains.so.1)
fi
mkdir -p "$build" "$output"
output=$(cd "$output" && pwd)
cmake -S . -B "$build" "${options[@]}" >"$build/configure.log" 2>&1 || {
    tail -n 30 "$build/configure.log" >&2
    fail "configuring failed"
}
scripts/build.sh "$build" --target "${targets[@]}"

# The wheel's folders lib, bin and licences; headers and library for its compiled part.
stage=$(cd "$build" && pwd)/stage
rm -rf "$stage"
mkdir -p "$stage"/{bundle/lib,bundle/bin,bundle/licences,prefix/lib,source,made}
for file in "${files[@]}"; do
    strip --strip-unneeded -o "$stage/bundle/lib/$file" "$(readlink -f "$build/lib/$file")"
done
for program in tc-node tc-send; do
    strip --strip-unneeded -o "$stage/bundle/bin/$program" "$build/bin/$program"
done
ln -s ../../bundle/lib/libtchains.so.1 "$stage/prefix/lib/libtchains.so"
ln -s "$PWD/include" "$stage/prefix/include"
# Licences of all that is linked in, as the machine's packages state them.
cp LICENSE "$stage/bundle/licences/tchains"
for package in libsodium-dev libzstd-dev ${llvm:+llvm-$llvm-dev zlib1g-dev libstdc++6}; do
    [ ! -e "/usr/share/doc/$package/copyright" ] || cp -L "/usr/share/doc/$package/copyright" "$stage/bundle/licences/$package"
done
cp -r bindings/python/. "$stage/source/"
rm -rf "$stage/source/build" "$stage/source/tchains/__pycache__"
TCHAINS_BUNDLE="$stage/bundle" TCHAINS_PREFIX="$stage/prefix" HOME="$stage" PYTHONDONTWRITEBYTECODE=1 \
    "$python" -m pip --disable-pip-version-check --no-input wheel --no-index --no-deps --no-build-isolation \
    -w "$stage/made" "$stage/source" >"$build/pip.log" 2>&1 || {
    tail -n 30 "$build/pip.log" >&2
    fail "pip made no wheel"
}
made=("$stage"/made/tchains-*.whl)
mv "${made[@]}" "$output/"
wheel=$output/$(basename "${made[0]}")
echo "wheel: $wheel, $(($(stat -c %s "$wheel") / 1024)) KiB"
