#!/usr/bin/env bash
# The database of examples/record_insert, filled by a program in C with the function in Julia, by one in Julia with the function
# in C, and by Julia with Julia. Exit status 77, with the reason, where there is no Julia.
#   records.sh ROOT BUILD_DIR
set -euo pipefail
root=$1 build=$2
"$root/scripts/install-julia.sh" --where >/dev/null 2>&1 || exec "$root/tests/julia/run.sh" "$root" "$build"
functions=$(mktemp -d)
trap 'rm -rf "$functions"' EXIT
files=(/usr/share/common-licenses/{GPL-3,MPL-2.0,Artistic})
julia=("$root/tests/julia/run.sh" "$root" "$build")
example=$root/examples/languages/julia

"${julia[@]}" -e 'include(ARGS[1]); archive(record_insert, ARGS[2]; deps=RECORD_LIBRARIES)' "$example/record_insert.jl" \
    "$functions/record_insert.tca"
record_insert=$root/examples/record_insert/run.sh
echo "C sends Julia:"
RECORD_FUNCTIONS=$functions "$record_insert" "$build" --damage "${files[@]}"
export RECORD_SOURCE="${julia[*]} $example/record_source.jl"
echo "Julia sends C:"
"$record_insert" "$build" --damage "${files[@]}"
echo "Julia sends Julia:"
RECORD_FUNCTIONS=$functions "$record_insert" "$build" "${files[@]}"
