#!/usr/bin/env bash
# The table of docs/rust.md: makes a function by each rustc and each build's tc-ar, and runs it at a node of each build.
#   version_table.sh "RUSTC ..." "BUILD ..."
# Each BUILD has tc-node and tc-send, and tc-ar if it has LLVM. Rows in Markdown.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
read -ra compilers <<<"$1"
read -ra builds <<<"$2"
. "$here/../../examples/node.sh"
work=$scratch
export TC_LOG_LEVEL=off TC_CACHE_DIR=

llvm() {
    local version
    version=$("$1/bin/tc-node" --version | grep -o 'LLVM [0-9a-z.]*' | head -1)
    echo "${version:-no LLVM}"
}

# The result of a node of that build with the archive in one form: runs, or the reason why not.
at_node() {
    local said=''
    TC_FORM=$2 start_node "$1/bin/tc-node"
    if said=$("$1/bin/tc-send" --call --text echo "$address" "$work/sample.tca" 2>&1) && [ "$said" = echo ]; then
        echo runs
    elif [[ $said == *"expected 19 or older"* ]]; then
        echo "too new"
    elif [[ $said == *"built without LLVM"* ]]; then
        echo "no compiler"
    else
        echo "refused: $said" | tail -1
    fi
    end_node || true
}

for rustc in "${compilers[@]}"; do
    for maker in "${builds[@]}"; do
        [ -x "$maker/bin/tc-ar" ] && [ "$(llvm "$maker")" != "LLVM none" ] || continue
        row="$("$rustc" --version | cut -d' ' -f2) (LLVM $("$rustc" -vV | sed -n 's/^LLVM version: //p')) | $(llvm "$maker")"
        if ! RUSTC=$rustc TC_AR=$maker/bin/tc-ar "$here/../../bindings/rust/tc-rustc" --targets "$(uname -m)" -o "$work/sample.tca" \
            "$here/sample.rs" 2>"$work/said"; then
            echo "| $row | $(grep -o 'newer than the LLVM' "$work/said" | head -1 || tail -1 "$work/said") |"
            continue
        fi
        for build in "${builds[@]}"; do
            row+=" | $(llvm "$build"): bitcode $(at_node "$build" bitcode), image $(at_node "$build" image)"
        done
        echo "| $row |"
    done
done
