#!/usr/bin/env bash
# Makes the dictionaries of bitcode-archive/dictionaries again: one for the bitcode of each LLVM, 19 and 22, trained from
# the functions that examples, benchmarks and tests send, and prints their gain for functions that they were not trained
# from. Same sources, same compilers, same zstd: same dictionaries.
#   scripts/train-dictionaries.sh                the figures of dictionaries that are made beside the committed ones
#   scripts/train-dictionaries.sh --write        and takes them in
#   scripts/train-dictionaries.sh --bytes 8192   another size; default 16384
# An archive names the dictionary that it was packed with, and cannot be read without it. So a dictionary that was ever
# released stays; --write only adds.
set -euo pipefail
cd "$(dirname "$0")/.."

bytes=16384
write=no
while [ $# -gt 0 ]; do
    case "$1" in
        --write) write=yes ;;
        --bytes) bytes=${2:?--bytes N} && shift ;;
        *)
            echo "usage: $0 [--write] [--bytes N]" >&2
            exit 2
            ;;
    esac
    shift
done

# Functions that stand for those that users write: nothing is trained from them.
held_out=(
    benchmarks/ifuncs/tsi.c
    benchmarks/ifuncs/ssum.c
    tests/engine/ifuncs/counter.c
    tests/engine/ifuncs/hash_map.c
    examples/record_insert/record_insert.c
)
sources=(
    benchmarks/ifuncs/{busy,integrity,iput,scan,wakeup}.c
    examples/record_insert/record_close.c
    tests/shipped/{check,doubled,echo,flood,forward,memory,tally,transcript,unbound}.c
    tests/engine/ifuncs/{bad_asm,calls_host,far_data,good_asm,libc_calls,libm_user,missing,recursion,unwinds}.c
    tests/engine/ifuncs/{uses_dep,weak_reference}.c
    tests/compiler/data/{adds_atomically,aligned_far,assembly,image_parts,libraries,maths,packed_pointer}.c
    tests/compiler/data/{parts_entry,unwinds,warns}.c
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile TREE FOLDER SOURCE [option...]: prints the archive's path. A function has the name of its file, or a declared
# one.
compile() {
    local tree=$1 folder=$2 source=$3 base name
    base=$(basename "$source" .c)
    name=$base
    grep -q "\b${base}_main\b" "$source" || name=$(grep -om 1 '\b[a-z0-9_]*_main\b' "$source" | sed 's/_main$//')
    mkdir -p "$folder"
    "$tree/bin/tc-clang" "$source" -o "$folder/$(dirname "$source" | tr / -)-$base.tca" --name="$name" --forms=bitcode \
        --allow-asm -w -Iinclude -Ibenchmarks/ifuncs "${@:4}"
    echo "$folder/$(dirname "$source" | tr / -)-$base.tca"
}

packed_bytes() { # TREE FILE FIELD
    "$1/bin/tc-ar" show --json "$2" | jq -r ".$3"
}

report() { # TREE MAJOR FILE
    local source archive size plain taken
    echo "LLVM $2, $(basename "$3"), $(stat -c %s "$3") bytes; archives of x86_64 and aarch64, bitcode only, in bytes:"
    for source in "${held_out[@]}"; do
        archive=$(compile "$1" "$work/report-$2" "$source")
        size=$(packed_bytes "$1" "$archive" archive_bytes)
        plain=$(packed_bytes "$1" "$archive" plain_bytes)
        taken=$(packed_bytes "$1" "$archive" dictionary.id)
        printf '  %-42s %6d with %s, %6d without\n' "$source" "$size" "$taken" "$plain"
    done
}

train() { # PRESET MAJOR
    local tree=build/$1 source files=() made
    cmake --preset "$1" >/dev/null
    cmake --build "$tree" -j "$(nproc)" --target tc-clang tc-ar train-dictionary >/dev/null
    for source in "${sources[@]}"; do
        files+=("$(compile "$tree" "$work/$2" "$source" --no-dictionary)")
    done
    made=$("$tree/bitcode-archive/train-dictionary" "$work" "$2" "$bytes" "${files[@]}")
    [ -e "bitcode-archive/dictionaries/$(basename "$made")" ] || fresh=yes
    cp "$made" bitcode-archive/dictionaries/
    cmake --build "$tree" -j "$(nproc)" --target tc-clang tc-ar >/dev/null
    report "$tree" "$2" "$made"
    if [ "$write" = no ] && [ "$fresh" = yes ]; then
        rm "bitcode-archive/dictionaries/$(basename "$made")"
    fi
}

for variant in "release 19" "llvm22 22"; do
    fresh=no
    # shellcheck disable=SC2086
    train $variant
done
