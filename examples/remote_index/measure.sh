#!/usr/bin/env bash
# The tables of README.md: medians of the rounds in us, in brackets their quartiles, the best way in bold.
#   examples/remote_index/measure.sh BUILD_DIR [--only TEXT] [OPTION...]
#     --only TEXT  rows alone whose names have that
#     OPTION...    of index_run, for each row: -l 50 -r 21
# shellcheck disable=SC2016  # names of rows have backquotes
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [--only TEXT] [OPTION...]" >&2; exit 2; }
build=$1
shift
only=
if [ "${1-}" = --only ]; then
    [ $# -ge 2 ] || { echo "$0: --only: expected a text behind it" >&2; exit 2; }
    only=$2
    shift 2
fi
load_before=$(cut -d ' ' -f 1 /proc/loadavg)
runs=$(mktemp)
trap 'rm -f "$runs"' EXIT

# row NAME DELIVERY RANKS OPTION...
row() {
    local name=$1 delivery=$2 ranks=$3
    shift 3
    [[ $name == *"$only"* ]] || return 0
    echo "row $name" >>"$runs"
    TC_DELIVERY=$delivery "$(dirname "$0")/run.sh" "$build" -n "$ranks" "$@" "${options[@]}" >>"$runs"
}

# Prints the columns of a structure: the ways with names that begin with it.
table() {
    awk -v of="$1, " '
        function round_us(x) { return sprintf(x + 0 < 100 ? "%.1f" : "%.0f", x) }
        function flush_row(  i, best, line) {
            if (name == "") return
            best = 1
            for (i = 2; i <= ways; i++) if (us[i] + 0 < us[best] + 0) best = i
            if (!has_head) {
                line = "| " substr(of, 1, length(of) - 2) " |"
                for (i = 1; i <= ways; i++) line = line " " way[i] " |"
                print line
                line = "|---|"
                for (i = 1; i <= ways; i++) line = line "---|"
                print line
                has_head = 1
            }
            line = "| " name " |"
            for (i = 1; i <= ways; i++)
                line = line (i == best ? " **" us[i] "** " : " " us[i] " ") spread[i] " |"
            print line
        }
        /^row / { flush_row(); name = substr($0, 5); ways = 0 }
        index($0, of) == 1 {
            ways++
            way[ways] = substr($0, length(of) + 1, 28 - length(of))
            sub(/ +$/, "", way[ways])
            rest = substr($0, 29)
            split(rest, part, " ")
            us[ways] = round_us(part[1])
            low = part[3]; high = part[5]
            sub(/\(/, "", low); sub(/\)/, "", high)
            spread[ways] = "(" round_us(low) "-" round_us(high) ")"
        }
        END { flush_row() }' "$runs"
}

options=("$@")
[ $# -gt 0 ] || options=(-l 50 -r 21)
row '`direct`' direct 3
row 'one owner' direct 2
row 'one owner, 8 keys' direct 2 -b 8
row 'one owner, 1 KiB' direct 2 -v 1024
row 'one owner, 256 KiB a leaf' direct 2 -k 2000 -v 4096 -f 64
row 'one owner, a change' direct 2 --change 2
row 'one owner, `stream`' stream 2
row '1,000 keys' direct 3 -k 1000
row '100,000 keys' direct 3 -k 100000
row '10 levels' direct 3 -k 50000 -f 3
row '8 keys a bucket' direct 3 -b 8
row '1 KiB a value' direct 3 -v 1024
row 'a change in 2' direct 3 --change 2
row '2 clients' direct 4 -c 2
row '`stream`' stream 3
row '`stream`, 1 KiB' stream 3 -v 1024
row '`stream`, 256 KiB a leaf' stream 3 -k 2000 -v 4096 -f 64
row '+200 us' direct 3 -d 200
row '+200 us, 8 keys' direct 3 -d 200 -b 8
row '+200 us, a change' direct 3 -d 200 --change 2
table table
echo
table tree
echo
echo "load $load_before before, $(cut -d ' ' -f 1 /proc/loadavg) after; $(nproc) processors"
