#!/usr/bin/env bash
# Starts a target, sends it text files as packed batches of lines, and proves that the table in its database is the input,
# byte for byte.
#   examples/record_insert/run.sh BUILD_DIR [--damage] [FILE...]
#     --damage   send damaged batches too: the target must refuse them and live on
#     FILE...    default: every file of /usr/share/common-licenses
# The target can be of another build, also for another architecture: RECORD_TARGET names that build, RECORD_NODE the
# program that stands for its tc-node. The functions can be other ones: those in the folder RECORD_FUNCTIONS come first. So can
# the program that sends them: the words of RECORD_SOURCE.
# Exit status 0 only when the table equals the input and the target ended in order.
set -euo pipefail

usage() {
    echo "usage: $0 BUILD_DIR [--damage] [FILE...]" >&2
    exit 2
}

[ $# -ge 1 ] || usage
build=$(cd "$1" && pwd)
shift
options=()
if [ "${1:-}" = --damage ]; then
    options+=(--damage)
    shift
fi
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
    for file in /usr/share/common-licenses/*; do
        if [ -f "$file" ]; then # links too: each name has its own rows
            files+=("$file")
        fi
    done
fi
[ ${#files[@]} -gt 0 ] || { echo "record_insert: no input files" >&2; exit 1; }
for program in sqlite3 od sed awk cmp timeout; do
    command -v "$program" >/dev/null || { echo "record_insert: $program is missing" >&2; exit 1; }
done

example=$build/examples/record_insert
target=${RECORD_TARGET:-$build}
target_library=$target/examples/record_insert/librecord_target.so
target_node=${RECORD_NODE:-$target/bin/tc-node}
read -ra source <<<"${RECORD_SOURCE:-$example/record_source}"
scratch=$(mktemp -d)
node=

# The node is ended by its id, whatever happened, and gets two minutes to end by itself: in an emulator it may still compile.
end_node() {
    [ -n "$node" ] || return 0
    local pid=$node status=0 waited
    node=
    kill -INT "$pid" 2>/dev/null || true
    for ((waited = 0; waited < 1200; waited++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" || status=$?
    return "$status"
}

clean() {
    end_node || true
    rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 1' INT TERM

fail() {
    echo "record_insert: $*" >&2
    sed 's/^/record_insert: node: /' "$scratch/node.log" >&2
    exit 1
}

# hex FILE...: one line per line of the files, in order: the file's name in hex, line number, the bytes in hex. Made by
# other programs than those that are tested here.
hex() {
    local file name
    for file in "$@"; do
        name=$(printf %s "$file" | od -An -v -tx1 | tr -d ' \n')
        od -An -v -tx1 "$file" | tr -d '\n' | sed 's/ 0a/ 0a\n/g' | tr -d ' ' |
            awk -v name="$name" '{ print name "|" NR "|" $0 }'
    done | tr a-f A-F
}

RECORD_DATABASE=$scratch/records.db "$target_node" --listen 127.0.0.1:0 \
    --lib "$target_library" --args-symbol record_target_args \
    --port-file "$scratch/port" </dev/null >"$scratch/node.log" 2>&1 &
node=$!
for ((waited = 0; waited < 300; waited++)); do
    [ ! -s "$scratch/port" ] || break
    kill -0 "$node" 2>/dev/null || fail "the target did not start"
    sleep 0.1
done
[ -s "$scratch/port" ] || fail "the target opened no port in 30 s"
if grep -q sqlite "/proc/$node/maps"; then
    fail "the target has SQLite before anything came: the example would show nothing"
fi

TC_IFUNC_PATH=${RECORD_FUNCTIONS:+$RECORD_FUNCTIONS:}$example timeout -k 5 120 "${source[@]}" "127.0.0.1:$(cat "$scratch/port")" \
    ${options[@]+"${options[@]}"} "${files[@]}" || fail "the source failed"
end_node || fail "the target ended with status $?"

hex "${files[@]}" | LC_ALL=C sort -t '|' -k 1,1 -k 2,2n >"$scratch/input"
: >"$scratch/table"
if [ -e "$scratch/records.db" ] || [ -s "$scratch/input" ]; then # no lines, no database
    timeout 60 sqlite3 -readonly "$scratch/records.db" \
        "SELECT hex(file), line, hex(text) FROM lines ORDER BY file, line" >"$scratch/table" ||
        fail "the database cannot be read"
fi
cmp "$scratch/input" "$scratch/table" || fail "the table differs from the input"
printf '%-14s %s\n' target "$(tail -n 1 "$scratch/node.log")"
printf '%-14s yes (%d rows)\n' "table = input" "$(wc -l <"$scratch/table")"
