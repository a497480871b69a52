#!/usr/bin/env bash
# The pointer-chase study of the Three-Chains paper ("Bring the BitCODE", V-C and V-D) on this machine: runs the sweeps,
# draws the figures, and writes a page about them. Takes some five minutes; the quieter the machine, the better.
#   benchmarks/reproduce.sh [BUILD [DIR]]           BUILD: a build folder (build/release); DIR: for the results (BUILD/reproduce)
#   benchmarks/reproduce.sh --quick [BUILD [DIR]]   a few short chases, to see that all of it works
set -euo pipefail

depths=1..4096 deepest=4096 depth_servers="4 8 16" servers=1,2,4,8,16 rounds=10 sweep_rounds=5 inflight=1,2,4,8,16 few=()
if [ "${1:-}" = --quick ]; then
    shift
    depths=1,16 deepest=16 depth_servers=2 servers=1,2 rounds=1 sweep_rounds=1 inflight=1,2 few=(-n 2)
fi
if [ $# -gt 2 ] || [[ ${1:-} == -* ]]; then
    sed -n '/^#   /s/^#   /usage: /p' "$0" >&2
    exit 2
fi
build=${1:-$(dirname "$0")/../build/release}
dir=${2:-$build/reproduce}
tc_perf=$build/bin/tc-perf

if [ ! -x "$tc_perf" ]; then
    echo "reproduce: no $tc_perf; 'cmake --preset release && cmake --build --preset release' makes it" >&2
    exit 1
fi
if ! command -v jq >/dev/null; then
    echo "reproduce: no jq here; scripts/install-deps.sh --tests installs it" >&2
    exit 1
fi
"$tc_perf" plot --help >/dev/null # says what is missing for drawing
mkdir -p "$dir"
load_before=$(cut -d ' ' -f 1-3 /proc/loadavg)
: >"$dir/commands"

# measure NAME option...: one run of tc-perf dapc, as NAME.json.
measure() {
    local name=$1
    shift
    echo "tc-perf dapc $*" | tee -a "$dir/commands"
    "$tc_perf" dapc "$@" "${few[@]}" --json "$dir/$name.json" >"$dir/$name.txt"
}

# draw NAME TITLE
draw() {
    "$tc_perf" plot "$dir/$1.json" -o "$dir/$1.svg" -t "$2"
}

for n in $depth_servers; do
    measure "depth-$n" --servers "$n" --depth "$depths" --rounds $sweep_rounds
    draw "depth-$n" "Pointer chases by depth - $n servers - tcp"
done
measure servers --servers "$servers" --depth "$deepest" --rounds $rounds
draw servers "Pointer chases of depth $deepest by servers - tcp"
measure waits --servers "${depth_servers%% *}" --depth "$deepest" --wait adaptive,yield,block --rounds $rounds
measure inflight --servers "${depth_servers%% *}" --depth "$deepest" --inflight "$inflight" --rounds $sweep_rounds
draw inflight "Chases at once - ${depth_servers%% *} servers, depth $deepest - tcp"
measure cold --servers "$servers" --depth "$deepest" --modes bitcode,image --cache cold --rounds $rounds
measure shm --servers "$servers" --depth "$deepest" --transport shm --rounds $sweep_rounds
draw shm "Pointer chases of depth $deepest by servers - shared memory"

# --- the page -----------------------------------------------------------------------------------------------------------

# rates FILE KEY: chases per second, a line per value of KEY, a column per mode (and policy, where there are several).
rates() {
    jq -r --arg key "$2" '
        def round1: if . >= 100 then round else . * 10 | round / 10 end;
        (.env.options.wait | contains(",")) as $waits
        | [.rows[] | {x: .[$key], name: (.mode + if $waits then " " + .wait else "" end), v: .chases_per_s}]
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

ratio_head() {
    printf '| ratio | median |\n|---|---:|\n'
}

machine() {
    jq -r '.env | "\(.cpu), \(.cpus) processors, Linux \(.kernel), UCX \(.versions.ucx), LLVM \(.versions.llvm), Three-Chains \(.versions.three_chains), gcc \(.versions.compiler)"' \
        "$dir/servers.json"
}

first_chases() {
    jq -r '
        "| servers | mode | first chase (ms) | second chase (ms) | the first takes longer by (ms) |", "|---:|---|---:|---:|---:|",
        (.rows[] | "| \(.servers) | \(.mode) | \(.first_chase_us / 10 | round / 100) | \(.second_chase_us / 10 | round / 100) | \((.first_chase_us - .second_chase_us) / 10 | round / 100) |")
        ' "$dir/cold.json"
}

page() {
    cat <<END
# Pointer chases on this machine

Distributed Adaptive Pointer Chasing, after the Three-Chains paper ("Bring the BitCODE", IV-C and D, V-C and D): a chase follows pointers through a table that
is spread evenly over servers. \`get\` is the client alone, a UCX GET per entry; \`am\` UCX active messages whose handlers every server has compiled in;
\`bitcode\` and \`image\` a function that was sent there, and sends itself on. \`docs/benchmarks.md\`, "Pointer chasing", says how it is measured. Every result was checked.

Machine: $(machine). Load before the run $load_before, after it $(cut -d ' ' -f 1-3 /proc/loadavg) (the run's own processes included); $(date -u +%Y-%m-%d).

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

## What differs from the paper's set-up

- All servers and the client share the processors of one machine; the paper has a machine (or a DPU) for each, and InfiniBand, whose GETs need no processor of the
  server. Over tcp a GET is answered by the server's process, as UCX does where there is no RDMA, and messages cost system calls: all times are several
  times the paper's, and ratios are what compares.
- More processes than processors: each message wakes a process. With a processor for each, both GETs and messages would be faster.
- The client sends a chase to the server that has its first entry; the paper's sends it to any.
- The result comes as the answer of a call (\`tc_reply\`); the paper creates a second function, ReturnResult, for it.
- 32768 entries on each server; the paper does not say how many. The paper's binary form of a function is \`image\` here. There is no Julia (Figures 8 and 12).

## Commands

\`\`\`
$(cat "$dir/commands")
\`\`\`

benchmarks/reproduce.sh runs them; the JSON of each, and the table that it printed, is beside this page.
END
}

page >"$dir/report.md"
rm "$dir/commands"
echo "$dir/report.md"
