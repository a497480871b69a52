#!/usr/bin/env bash
# Measures Three-Chains on this machine and draws the results: calls, payloads, first calls, the pointer-chase study of the
# Three-Chains paper ("Bring the BitCODE", V-C and V-D), and the cost of protection. Writes a page about it. Takes some twenty
# minutes; the quieter the machine, the better. With a paper's name it measures that paper's figures alone, into BUILD/reproduce-NAME:
# two-chains takes hours, for a million samples of each tail beside a load.
#   benchmarks/papers/reproduce.sh [BUILD [DIR]]           BUILD: a build folder (build/release); DIR: for the results (BUILD/reproduce)
#   benchmarks/papers/reproduce.sh three-chains [BUILD [DIR]]  the Three-Chains paper's tables and figures, theirs beside ours
#   benchmarks/papers/reproduce.sh two-chains [BUILD [DIR]] Figures 5 to 14 of the Two-Chains paper
#   benchmarks/papers/reproduce.sh ifunc-api [BUILD [DIR]] the ifunc API's paper of 2021: code in every message, against active messages
#   benchmarks/papers/reproduce.sh mrpc [BUILD [DIR]]      the applications of the MRPC paper: functions against one-sided operations
#   benchmarks/papers/reproduce.sh taskbench [BUILD [DIR]] the smallest efficient tasks of Task Bench, METG: functions, windows, MPI
#   benchmarks/papers/reproduce.sh kmer [BUILD [DIR]]      k-mers in a distributed table: active messages, functions, MPI
#   benchmarks/papers/reproduce.sh mpi-am [BUILD [DIR]]    generalized active messages: units, credit, order, origins, and the same by MPI
#   benchmarks/papers/reproduce.sh --quick [BUILD [DIR]]   a few short runs, to see that all of it works
#   benchmarks/papers/reproduce.sh --draw [BUILD [DIR]]    only draws and writes again what was measured before
#   benchmarks/papers/reproduce.sh --docs [BUILD [DIR]]    the same, and copies the JSON that documents speak of to docs/figures/measured
set -euo pipefail

depths=1..4096 deepest=4096 depth_servers="4 8 16 32 64" servers=1,2,4,8,16,32,64 few_servers=1,2,4,8,16 rounds=10 sweep_rounds=5 inflight=1,2,4,8,16
few=() tables=() language_few=() step=measure again=8 senders=1..16 functions=tsi,hash_map,saxpy sizes=1..64K large=64K..16M processes=2..16 seconds=10
messages=1000000 api_sizes=1..1M mixed_servers=1,2,4
two_sizes=16..32K wait_sizes=64..32K tail_sizes=64,256,1K,4K,16K tail_samples=1000000 tail_warmup=1000 tail_rounds=10 stressor=auto rings=4K..1M
em3d_steps=5 em3d_bulk_steps=2000 stamped=9 fft_size=() lu_size=() water_size=() taskbench_rounds=20 taskbench_few=() kmer_rounds=20 kmer_few=()
am_awaited=100 am_messages=2000 am_rounds=40 am_tcp_awaited=20 am_tcp_messages=200 am_tcp_rounds=10 am_origins=4
while [[ ${1:-} == --* ]]; do
    case $1 in
    --quick)
        depths=1,16 deepest=16 depth_servers=2 servers=1,2 few_servers=1,2 rounds=1 sweep_rounds=1 inflight=1,2 few=(-n 2) tables=(-n 500)
        again=1 senders=1..2 functions=tsi sizes=8..16 large=64K..128K processes=2..4 seconds=1 messages=2000 api_sizes=1..4 mixed_servers=1,2
        language_few=(--quick)
        two_sizes=16..32 wait_sizes=64..128 tail_sizes=64,1K tail_samples=100 tail_warmup=20 tail_rounds=1 stressor=own rings=4K,64K
        em3d_steps=1 em3d_bulk_steps=20 stamped=1 fft_size=(--points 4096) lu_size=(--size 64) water_size=(--molecules 27) taskbench_rounds=1 taskbench_few=(--steps 10 --iterations 8) kmer_rounds=1 kmer_few=(--genome 5000)
        am_awaited=2 am_messages=8 am_rounds=1 am_tcp_awaited=2 am_tcp_messages=8 am_tcp_rounds=1 am_origins=2
        ;;
    --draw | --docs) step=${1#--} ;;
    *) break ;;
    esac
    shift
done
paper=
case ${1:-} in
ifunc-api | kmer | mpi-am | mrpc | taskbench | three-chains | two-chains)
    paper=$1
    shift
    ;;
esac
if [ $# -gt 2 ] || [[ ${1:-} == -* ]]; then
    sed -n '/^#   /s/^#   /usage: /p' "$0" >&2
    exit 2
fi
build=${1:-$(dirname "$0")/../../build/release}
dir=${2:-$build/reproduce${paper:+-$paper}}
figures=$(dirname "$0")/../../docs/figures/measured
tc_perf=$build/bin/tc-perf
# Emulated runs, where scripts/cross-aarch64.sh has built the programs.
guest=${TC_GUEST_PERF:-$(dirname "$0")/../../build/aarch64/tests/mixed/guest/tc-perf}

if [ ! -x "$tc_perf" ]; then
    echo "reproduce: no $tc_perf; 'cmake --preset release && cmake --build --preset release' makes it" >&2
    exit 1
fi
if ! command -v jq >/dev/null; then
    echo "reproduce: no jq here; scripts/install-deps.sh --tests installs it" >&2
    exit 1
fi
if "$tc_perf" plot /dev/null -o none.svg 2>&1 | grep matplotlib >&2; then
    exit 1
fi
mkdir -p "$dir"

# --- measuring ------------------------------------------------------------------------------------------------------------

# measure NAME EXPERIMENT option...: one run of tc-perf, as NAME.json.
measure() {
    local name=$1
    shift
    echo "tc-perf $*" | tee -a "$dir/commands.txt"
    "$tc_perf" "$@" --json "$dir/$name.json" >"$dir/$name.txt"
}

# "mpi,mpich,": those that this build has and that run here.
mpis() {
    for mpi in mpi mpich; do
        if "$tc_perf" tsi --modes $mpi -n 1 -w 1 -r 1 >"$dir/$mpi.txt" 2>&1; then
            printf '%s,' $mpi
        fi
    done
}

# For the languages that this build has functions in.
measure_languages() {
    echo "benchmarks/papers/language_table.py ${language_few[*]}" | tee -a "$dir/commands.txt"
    "$(dirname "$0")/language_table.py" "${language_few[@]}" "$build" >"$dir/languages.md"
}

measure_all() {
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    measure calls tsi --modes "bare,am,$(mpis)cached,uncached" --rounds $((rounds * 2)) "${few[@]}"
    measure calls-tcp tsi --tls tcp,self --rounds $((rounds * 2)) "${few[@]}"
    measure payloads tsi --sweep $sizes --modes bare,am,cached,uncached --rounds $again "${few[@]}"
    measure sum ssum --rounds $again "${few[@]}"
    measure put iput --rounds $again "${few[@]}"
    measure call call --rounds $rounds "${few[@]}"
    measure call-tcp call --tls tcp,self --rounds $sweep_rounds "${few[@]}"
    measure bandwidth bandwidth --sweep $large --rounds $rounds "${few[@]}"
    measure bandwidth-tcp bandwidth --sweep $large --tls tcp,self --rounds $rounds "${few[@]}"
    measure senders tsi --senders $senders --delivery direct,am --rounds $rounds "${few[@]}"
    measure first-call first-call --functions $functions --rounds $rounds
    measure intrusion first-call --intrusion --rounds $rounds
    measure wait wait --processes $processes "${few[@]}"
    measure cycles cycles --modes poll,pause,line,yield,sleep --rounds $again "${few[@]}"
    measure poll poll
    measure integrity integrity -n $messages
    measure flood flood --seconds $seconds
    for n in $depth_servers; do
        measure "depth-$n" dapc --servers "$n" --depth "$depths" --rounds $sweep_rounds "${few[@]}"
    done
    measure servers dapc --servers "$servers" --depth "$deepest" --rounds $rounds "${few[@]}"
    measure any dapc --servers "${depth_servers%% *}" --depth "$depths" --start any --rounds $sweep_rounds "${few[@]}"
    if [ ! -x "$guest" ] ||
        ! measure mixed dapc --servers "$mixed_servers" --depth "$deepest" --server-program "$guest" --rounds $sweep_rounds "${few[@]}" ||
        ! measure depth-mixed dapc --servers "${mixed_servers##*,}" --depth "$depths" --server-program "$guest" --rounds $sweep_rounds "${few[@]}"; then
        rm -f "$dir"/mixed.* "$dir"/depth-mixed.*
    fi
    measure waits dapc --servers "${depth_servers%% *}" --depth "$deepest" --wait adaptive,yield,block --rounds $rounds "${few[@]}"
    measure inflight dapc --servers "${depth_servers%% *}" --depth "$deepest" --inflight "$inflight" --rounds $sweep_rounds "${few[@]}"
    measure cold dapc --servers "$few_servers" --depth "$deepest" --modes bitcode,image --cache cold --rounds $rounds "${few[@]}"
    measure shm dapc --servers "$few_servers" --depth "$deepest" --transport shm --rounds $sweep_rounds "${few[@]}"
    measure_languages
    measure protection protection --rounds $((rounds * 3)) "${few[@]}"
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

# --- drawing --------------------------------------------------------------------------------------------------------------

draw_all() {
    printf '%s\0' "$dir"/*.json | xargs -0 -P "$(nproc)" -n 8 "$(dirname "$0")/draw_reports.py"
}

# publish NAME...: the data that documents speak of; scripts/site.sh draws them.
publish() {
    local name
    mkdir -p "$figures"
    for name in "$@"; do
        [ -f "$dir/$name.json" ] || continue # no functions of that language here
        jq -c . "$dir/$name.json" >"$figures/$name.json"
    done
}

# --- the page -----------------------------------------------------------------------------------------------------------

# rates FILE KEY: chases per second, a line per value of KEY, a column per mode (and policy and language, where there are several).
rates() {
    jq -r --arg key "$2" '
        def round1: if . >= 100 then round else . * 10 | round / 10 end;
        (.env.options.wait | contains(",")) as $waits
        | [.rows[] | {x: .[$key], name: (.mode + (if $waits then " " + .wait else "" end) + if .language and (.mode | IN("get", "am") | not) then " " + .language else "" end), v: .chases_per_s}]
        | (reduce .[].name as $n ([]; if index([$n]) then . else . + [$n] end)) as $names
        | "| " + $key + " | " + ($names | join(" | ")) + " |",
          "|---:|" + ([$names[] | "---:|"] | add),
          (group_by(.x)[] | . as $g
           | "| \($g[0].x) | " + ([$names[] as $n | $g[] | select(.name == $n) | .v | round1 | tostring] | join(" | ")) + " |")
        ' "$dir/$1.json"
}

# ratios FILE PATTERN: those of that name.
ratios() {
    jq -r --arg pattern "$2" '
        .ratios | to_entries[] | select(.key | test($pattern)) | "| `\(.key)` | \(.value * 100 | round / 100) |"' "$dir/$1.json"
}

# To off, and to plain UCX: medians of each round's.
protection() {
    jq -r '
        def figure: if . == null then "" else . * 100 | round / 100 | tostring end;
        ["connect", "first_call", "latency", "rate", "bandwidth"] as $names
        | "| protection | delivery | to | " + ($names | join(" | ")) + " |", "|---|---|---|" + ([$names[] | "---:|"] | add),
          (.rows[] | . as $row | ("off", "ucx") as $to | .["to_" + $to] // empty | . as $ratios
           | "| \($row.mode) | \($row.delivery) | \($to) | " + ([$names[] | $ratios[.][1] | figure] | join(" | ")) + " |")
        ' "$dir/protection.json" | sed 's/|  |/| - |/g; s/|  |/| - |/g'
}

# Figures 5 and 9 have a client of one architecture and servers of the other.
mixed() {
    printf '## A client of one architecture, servers of the other\n\n'
    if [ ! -f "$dir/mixed.json" ]; then
        printf 'Not measured: no program of this version for the other architecture, which `scripts/cross-aarch64.sh` makes.\n'
        return
    fi
    jq -r '.rows[0] | "Figures 5 and 9 of the paper, in kind: the client is \(.client_arch), servers are \(.server_arch), **emulated**. That all results are right is what this shows; the rates are those of an emulator."' "$dir/mixed.json"
    printf '\n![by servers, emulated](mixed.svg)\n\n'
    rates mixed servers
    printf '\n![by depth, emulated](depth-mixed.svg)\n\n'
    rates depth-mixed depth
}

ratio_head() {
    printf '| ratio | median |\n|---|---:|\n'
}

# machine FILE: it and the versions, as that run saw them.
machine() {
    jq -r '.env | "\(.cpu), \(.cpus) processors, Linux \(.kernel), UCX \(.versions.ucx), LLVM \(.versions.llvm), Three-Chains \(.versions.three_chains), gcc \(.versions.compiler)"' \
        "$dir/$1.json"
}

first_chases() {
    jq -r '
        "| servers | mode | first chase (ms) | second chase (ms) | the first takes longer by (ms) |", "|---:|---|---:|---:|---:|",
        (.rows[] | "| \(.servers) | \(.mode) | \(.first_chase_us / 10 | round / 100) | \(.second_chase_us / 10 | round / 100) | \((.first_chase_us - .second_chase_us) / 10 | round / 100) |")
        ' "$dir/cold.json"
}

# chapter HEADING NAME: of a drawing alone
chapter() {
    printf '## %s\n\n![%s](%s.svg)\n\n' "$1" "$1" "$2"
}

chapters() {
    chapter "Calls over shared memory" calls
    chapter "Calls over tcp" calls-tcp
    chapter "Payloads" payloads
    chapter "Server-Side Sum" sum
    chapter "Indirect Put" put
    chapter "Calls and their answers over shared memory" call
    chapter "Calls and their answers over tcp" call-tcp
    chapter "Large payloads over shared memory" bandwidth
    chapter "Large payloads over tcp" bandwidth-tcp
    chapter "Several senders" senders
    chapter "First calls" first-call
    chapter "First calls, and other peers" intrusion
    chapter "Waiting" wait
    chapter "Cycles while waiting" cycles
    chapter "Idle endpoints" poll
    chapter "Integrity" integrity
    chapter "A source that is too fast" flood
}

page() {
    cat <<END
# Three-Chains on this machine

Machine: $(machine servers). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included); $(jq -r '.env.date[:10]' "$dir/servers.json").
\`docs/benchmarks.md\` says how each figure is measured. What is compared takes turns in short rounds, so ratios hold where other programs run too.

$(chapters)

## Pointer chases

Distributed Adaptive Pointer Chasing, after the Three-Chains paper ("Bring the BitCODE", IV-C and D, V-C and D): a chase follows pointers through a table that
is spread evenly over servers. \`get\` is the client alone, a UCX GET per entry; \`am\` UCX active messages whose handlers every server has compiled in;
\`bitcode\` and \`image\` a function that was sent there, and sends itself on. Every result was checked.

## By depth

Figures 5 to 8 of the paper; chases per second, all servers and the client processes of this machine, over tcp.

END
    for n in $depth_servers; do
        printf '![%s servers](depth-%s.svg)\n\n%s servers:\n\n' "$n" "$n" "$n"
        rates "depth-$n" depth
        printf '\n'
    done
    cat <<END
## By number of servers

Figures 9 to 12 of the paper: depth $deepest.

![by servers](servers.svg)

$(rates servers servers)

$(ratio_head)
$(ratios servers '_to_')

The paper's text: bitcode beats GET by up to 20 % (Figure 5, 32 servers), 30 % (Figure 6, 64) and 75 % (Figure 7, 16), and active messages are 3 to 7 % ahead of
bitcode: ratios \`bitcode_to_get\` of 1.2 to 1.75 and \`bitcode_to_am\` of 0.93 to 0.97. With one server no chase leaves it: there the ratio is that of a load to a
round trip.

## From any server

The client sends a chase to any server, as the paper's does; one that does not have its first entry forwards it. ${depth_servers%% *} servers:

![from any server](any.svg)

$(rates any depth)

$(mixed)
## Each under its best policy

How processes wait matters where there are fewer processors than processes. ${depth_servers%% *} servers, depth $deepest, all processes alike:

$(rates waits servers)

$(ratio_head)
$(ratios waits '_to_')
$(jq -r 'def best($m): [.rows[] | select(.mode == $m) | .chases_per_s] | max;
    "| best \(("bitcode", "image") as $m | ("get", "am") as $u | "\($m) to best \($u)` | \(best($m) / best($u) * 100 | round / 100)") |" | sub("best "; "`best ")' "$dir/waits.json")

## Chases at once

![chases at once](inflight.svg)

$(rates inflight inflight)

$(ratio_head)
$(ratios inflight '_inflight_')

## The first chase

The code is new to all servers, and travels with the chase; nothing is in an object cache. Processes that compile are running already.

$(first_chases)

## Over shared memory a GET is a load

With UCX's own choice of transports between processes of one host, UCX maps the servers' memory into the client, and a GET is a load from it: no server takes part,
and no message can be as fast. This is not what a GET costs between machines, so all other figures are over tcp.

![shared memory](shm.svg)

$(rates shm servers)

## What protection costs

Nodes that differ in their protection alone, behind shared memory, UCX's tcp and delivery \`stream\`; \`ucx\` is plain UCX over tcp. docs/benchmarks.md says what each is.

![protection](protection.svg)

$(protection)

## Functions in other languages

The same two functions in each language that this build has, in turns; \`docs/languages.md\` says what each column is. Figures 8 and 12 of the paper, chases in
Julia beside C, are drawn by \`benchmarks/papers/reproduce.sh three-chains\`.

$(cat "$dir/languages.md")

## What differs from the paper's set-up

- All servers and the client share the processors of one machine; the paper has a machine (or a DPU) for each, and InfiniBand, whose GETs need no processor of the
  server. Over tcp a GET is answered by the server's process, as UCX does where there is no RDMA, and messages cost system calls: all times are several
  times the paper's, and ratios are what compares.
- More processes than processors: each message wakes a process, and with 32 and 64 servers on a few processors nearly every one has slept. With a processor for each, both GETs and messages would be faster.
- But under "From any server" the client sends a chase to the server that has its first entry; the paper's sends it to any.
- The result comes as the answer of a call (\`tc_reply\`); the paper creates a second function, ReturnResult, for it.
- 32768 entries on each server; the paper does not say how many. The paper's binary form of a function is \`image\` here.

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

benchmarks/papers/reproduce.sh runs them; the JSON of each, and the table that it printed, is beside this page.
END
}

# reproduce MEASURE PAGE FIGURE...: functions that measure and that write the page, and the figures that documents show.
reproduce() {
    local measure=$1 page=$2
    shift 2
    if [ "$step" = measure ]; then
        "$measure"
    fi
    draw_all
    "$page" >"$dir/report.md"
    if [ "$step" = docs ]; then
        publish "$@"
    fi
}

. "$(dirname "$0")/reproduce_ifunc_api.sh"
. "$(dirname "$0")/reproduce_kmer.sh"
. "$(dirname "$0")/reproduce_mpi_am.sh"
. "$(dirname "$0")/reproduce_mrpc.sh"
. "$(dirname "$0")/reproduce_taskbench.sh"
. "$(dirname "$0")/reproduce_three_chains.sh"
. "$(dirname "$0")/reproduce_two_chains.sh"
case $paper in
ifunc-api) reproduce measure_ifunc_api page_ifunc_api ifunc-api ifunc-api-tcp ;;
kmer) reproduce_kmer ;;
mpi-am) reproduce measure_mpi_am_all mpi_am_page mpi-am-figures mpi-am-openmpi ;;
mrpc) reproduce_mrpc ;;
taskbench) reproduce measure_taskbench taskbench_page taskbench-8 ;;
three-chains) reproduce measure_three_chains three_chains_page overhead julia-depth julia-servers ;;
two-chains) reproduce measure_two_chains two_chains_page tail-put rings ;;
*) reproduce measure_all page calls calls-tcp payloads sum senders cycles first-call depth-8 servers ;;
esac
echo "$dir/report.md"
