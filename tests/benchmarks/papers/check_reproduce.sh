#!/usr/bin/env bash
# The pointer-chase study, as short as it gets: a page with its pictures, and with figures in its tables.
#   check_reproduce.sh REPRODUCE_SH BUILD
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if "$2/bin/tc-perf" plot /dev/null -o "$dir/none.svg" 2>&1 | grep matplotlib; then
    exit 77
fi
export TC_GUEST_PERF=none # tests of the label mixed chase there
"$1" --quick "$2" "$dir/out"
cd "$dir/out"

fail() {
    echo "check_reproduce: $*" >&2
    exit 1
}

pictures=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' report.md)
[ "$(wc -w <<<"$pictures")" = 23 ] || fail "expected 23 pictures, found: $pictures"
for picture in $pictures; do
    grep -q '</svg>' "$picture" || fail "$picture is not drawn"
done
for line in '| depth | get | am | bitcode | image |' '| `bitcode_to_get_s2_q1_d16` |' '| `best image to best am` |' \
    '| 2 | bitcode |' '| inflight | get | am | bitcode | image |' 'a GET is a load' '| sealed | stream | ucx | - |' 'tc-perf dapc --servers 1,2' 'From any server' 'Not measured: no program'; do
    grep -qF -- "$line" report.md || fail "report.md has no: $line"
done
! grep -qE 'null|\| *\|' report.md || fail "an empty figure: $(grep -E 'null|\| *\|' report.md)"
"$1" --quick three-chains "$2" "$dir/paper"
for picture in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$dir/paper/report.md"); do
    grep -q '</svg>' "$dir/paper/$picture" || fail "$picture is not drawn"
done
for line in '| us | stage | here | I: Ookami | II: Thor BF2 | III: Thor Xeon |' '| Cached Bitcode | lookup + execution |' '`sum_to_total_cached`' \
    '| method | what | here, shared memory | here, tcp | IV: Ookami |' '| cached to active message, latency | 0.98 to 1.03 |' \
    'chases/s, depth 16: `bitcode_to_am` | 0.93 to 0.97 |' 'tc-perf overhead'; do
    grep -qF -- "$line" "$dir/paper/report.md" || fail "the paper's report.md has no: $line"
done
! grep -qE 'null|\| *\|' "$dir/paper/report.md" || fail "an empty figure: $(grep -E 'null' "$dir/paper/report.md")"
"$1" --quick two-chains "$2" "$dir/two"
for picture in $(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$dir/two/report.md"); do
    grep -q '</svg>' "$dir/two/$picture" || fail "$picture is not drawn"
done
for line in '| 8: rate that injecting loses, %, Indirect Put | about 40 |' \
    "| 9: latency that the receiver's cache saves, %, at most; \`cached\` | 31 |" \
    '| 12: the same, Server-Side Sum; `inject` | 2 |' '| payload | local, ns | inject, ns |' '| vm | 1024 |' '| `cached` | 65536 |' '**Emulated**' \
    '| 5: latency of a message that is not executed, to a UCX put: at worst | 1.015 |' '| payload | put, ns | noexec, ns |' \
    '13: `pause` to polling: latency of `iput`' 'Counted: ' 'tc-perf tsi --ring-bytes 4K,64K'; do
    grep -qF -- "$line" "$dir/two/report.md" || fail "report.md of two-chains has no: $line"
done
! grep -qE 'null|\| *\|' "$dir/two/report.md" || fail "an empty figure: $(grep -E 'null|\| *\|' "$dir/two/report.md")"
"$1" --quick "$dir/nowhere" 2>"$dir/said" && fail "took a folder without tc-perf"
grep -q "no $dir/nowhere/bin/tc-perf" "$dir/said" || fail "did not say what is missing: $(cat "$dir/said")"

"$1" --quick mrpc "$2" "$dir/mrpc"
for line in '| em3d-bulk, all edges remote | 1.1, 1.1 |' '| water-prefetch 512 | 3.5, 3.4 |' '| fft 1M | 2.1, 2.3 |' '| lu, blocks fetched | 3.6, 5 |' \
    '| Figure 11: ghost, 100 % remote | 2.5 |' '| `function-bulk` |' '| lu: `function-push` |' '| water: `view-atomic` |' \
    'tc-run -n 2 em3d_run --remote 100' 'tc-run -n 2 fft_run'; do
    grep -qF -- "$line" "$dir/mrpc/report.md" || fail "report.md of mrpc has no: $line"
done
for picture in figure-11 figure-12; do
    grep -q "!\[.*\]($picture.svg)" "$dir/mrpc/report.md" && grep -q '</svg>' "$dir/mrpc/$picture.svg" || fail "$picture is not drawn"
    for text in 'time (that of W is 1)' 'marsh + copy' ' ns<\| ms<'; do
        grep -q -- "$text" "$dir/mrpc/$picture.svg" || fail "$picture has no: $text"
    done
done
! grep -qE 'null|\| *\||WRONG' "$dir/mrpc/report.md" || fail "an empty figure: $(grep -E 'null|\| *\||WRONG' "$dir/mrpc/report.md")"

"$1" --quick taskbench "$2" "$dir/tasks"
for picture in taskbench-2 taskbench-8 taskbench-32 taskbench-bytes; do
    grep -q "!\[.*\]($picture.svg)" "$dir/tasks/report.md" && grep -q '</svg>' "$dir/tasks/$picture.svg" || fail "$picture is not drawn"
done
for line in '| pattern | `mpi` | `mpi-gathered` | `function-single` | `function` | `view` | tasks |' '| stencil, `function` | ' '| no dependences, ns | 390 | ' \
    '-n 2 metg_run --width 32'; do
    grep -qF -- "$line" "$dir/tasks/report.md" || fail "report.md of taskbench has no: $line"
done
! grep -qE 'null|\| *\||WRONG' "$dir/tasks/report.md" || fail "an empty figure: $(grep -E 'null|\| *\||WRONG' "$dir/tasks/report.md")"

"$1" --quick mpi-am "$2" "$dir/am"
for picture in mpi-am-figures mpi-am-figures-tcp mpi-am-origins; do
    grep -q "!\[.*\]($picture.svg)" "$dir/am/report.md" && grep -q '</svg>' "$dir/am/$picture.svg" || fail "$picture is not drawn"
done
for line in '| 3(a): latency of a search, units of 100 to 10 segments | 0.70 |' '| 10 | 115 | ' 'tc-perf am --modes origins'; do
    grep -qF -- "$line" "$dir/am/report.md" || fail "report.md of mpi-am has no: $line"
done
for name in openmpi mpich openmpi-tcp mpich-tcp; do
    [ -f "$dir/am/mpi-am-$name.json" ] || continue
    grep -q "!\[$name\](mpi-am-$name.svg)" "$dir/am/report.md" && grep -q '</svg>' "$dir/am/mpi-am-$name.svg" || fail "mpi-am-$name is not drawn"
    grep -qF -- '| `mpi-window` | ' "$dir/am/report.md" || fail "report.md of mpi-am has no windows of MPI"
done
! grep -qE 'null|\| *\|' "$dir/am/report.md" || fail "an empty figure: $(grep -E 'null|\| *\|' "$dir/am/report.md")"

"$1" --quick kmer "$2" "$dir/kmer"
for line in '| `serial` | - | ' '| `function` | 8 | ' '| `am` | 4096 | ' '| `am-concurrent` | 64 | ' ', 4 ranks, reads of a genome' ', 2 ranks, a text'; do
    grep -qF -- "$line" "$dir/kmer/report.md" || fail "report.md of kmer has no: $line"
done
! grep -qE 'null|\| *\|' "$dir/kmer/report.md" || fail "an empty figure: $(grep -E 'null|\| *\|' "$dir/kmer/report.md")"

# One paper's figures alone.
"$1" --quick ifunc-api "$2" "$dir/api"
cd "$dir/api"
for picture in ifunc-api ifunc-api-tcp icache; do
    grep -q "!\[.*\]($picture.svg)" report.md && grep -q '</svg>' $picture.svg || fail "$picture is not drawn"
done
for line in '| latency, at worst up to 4 KB | -42 |' '| 4 | ' '`tc_send_injected`' '| 65536 |' 'tc-perf tsi --sweep 1..4 --modes am,uncached,inject,compat --tls tcp,self'; do
    grep -qF -- "$line" report.md || fail "report.md of ifunc-api has no: $line"
done
! grep -qE 'null|\| *\|' report.md || fail "an empty figure: $(grep -E 'null|\| *\|' report.md)"
rm icache.svg
"$1" --quick --draw ifunc-api "$2" "$dir/api"
[ -s icache.svg ] || fail "did not draw again what was measured before"
