#!/usr/bin/env bash
# The tests of messages, and their costs, over an RDMA adapter: a real one, or soft RoCE, which the kernel makes of a network
# interface. Where neither is available it prints the missing parts and how to get them, and ends with 77.
#   scripts/test-on-rdma.sh                      the first adapter with an active port, else soft RoCE
#   scripts/test-on-rdma.sh --device mlx5_0:1    this one
#   scripts/test-on-rdma.sh --soft               soft RoCE, on a pair of interfaces of the script's own; needs root
#   scripts/test-on-rdma.sh --check              only prints the available adapters: 0 or 77
#   scripts/test-on-rdma.sh --build build/test   an existing build, instead of the preset dev's
# Runs in turn: the conformance suites, by reliable connections (put, am and auto) and by datagrams (am); processes that send,
# die, stop and come back; the reliability matrix; then tc-perf, put beside am beside UCX. Ends with 1 when a test failed.
# RDMA_SYSFS and RDMA_DEVICES, for its own test, are where adapters and their devices are looked for.
set -uo pipefail
cd "$(dirname "$0")/.."
sysfs=${RDMA_SYSFS:-/sys/class/infiniband}
devices=${RDMA_DEVICES:-/dev/infiniband}
build=build/dev
device=
soft=
check=
made=()
missing=()

usage() {
    echo "usage: $0 [--device NAME[:PORT] | --soft] [--check] [--build FOLDER]" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
        --device) device=${2:-} && [ -n "$device" ] && shift 2 || usage ;;
        --build) build=${2:-} && [ -n "$build" ] && shift 2 || usage ;;
        --soft) soft=yes && shift ;;
        --check) check=yes && shift ;;
        *) usage ;;
    esac
done

# --- the adapter ----------------------------------------------------------------------------------------------------------

lacks() {
    missing+=("$*")
}

# The first port that is active, of the adapter named or of any: NAME:PORT.
active_port() {
    local state
    for state in "$sysfs"/${1:-*}/ports/${2:-*}/state; do
        [ -r "$state" ] && grep -q ACTIVE "$state" || continue
        state=${state#"$sysfs"/}
        echo "${state%%/*}:$(basename "$(dirname "$state")")"
        return 0
    done
    return 1
}

has_adapter() {
    compgen -G "$sysfs/*" >/dev/null
}

# UCX's transports for adapters are a module that it loads.
check_ucx() {
    local folder
    folder=$(pkg-config --variable=libdir ucx 2>/dev/null)/ucx
    compgen -G "$folder/libuct_ib.so*" >/dev/null ||
        lacks "UCX here has no transports for RDMA: no libuct_ib.so in $folder. Debian's libucx0 has them (apt install libucx-dev);" \
            "one from its sources needs libibverbs-dev when it is configured (--with-verbs)."
}

check_rights() {
    local file
    for file in "$devices"/uverbs*; do
        [ -r "$file" ] && [ -w "$file" ] && return
    done
    [ -e "$file" ] &&
        lacks "no right to read and write $devices/uverbs*: run this as root, or as a member of their group" ||
        lacks "no $devices/uverbs*: the kernel's module ib_uverbs is not loaded (modprobe ib_uverbs; apt install rdma-core)"
}

# Not a reason to stop: it depends on the adapter how much it needs.
check_memory() {
    local limit
    ulimit -l unlimited 2>/dev/null
    limit=$(ulimit -l)
    [ "$limit" = unlimited ] || [ "$limit" -ge 65536 ] ||
        echo "test-on-rdma: only $limit kB may be locked in memory; if UCX then cannot register it: ulimit -l unlimited" >&2
}

has_module() {
    [ -d /sys/module/rdma_rxe ] || modprobe --dry-run --quiet rdma_rxe 2>/dev/null
}

check_soft() {
    [ "$(id -u)" -eq 0 ] || lacks "soft RoCE is made by root alone"
    command -v ip >/dev/null && command -v rdma >/dev/null || lacks "no programs ip and rdma: apt install iproute2"
    has_module || lacks "the kernel $(uname -r) has no module rdma_rxe, of which soft RoCE is made: Debian's linux-image-amd64 has it" \
        "(not linux-image-cloud-amd64); apt install kmod, and load it with modprobe rdma_rxe"
    compgen -G "/usr/lib*/*/libibverbs/librxe-*.so" >/dev/null || compgen -G "/usr/lib*/libibverbs/librxe-*.so" >/dev/null ||
        lacks "no driver of soft RoCE for programs: apt install ibverbs-providers"
}

# Sets `device`, or adds to `missing`.
find_device() {
    local wanted=$device
    check_ucx
    check_memory
    if [ -n "$soft" ]; then
        check_soft
    elif [ -n "$wanted" ]; then
        device=$(active_port "${wanted%%:*}" "$([ "$wanted" = "${wanted#*:}" ] || echo "${wanted#*:}")") ||
            lacks "no active port at $wanted: below $sysfs there is $(ls "$sysfs" 2>/dev/null | tr '\n' ' ')"
        check_rights
    elif device=$(active_port); then
        check_rights
    elif has_adapter; then
        lacks "an adapter is here ($(ls "$sysfs" | tr '\n' ' ')), but none of its ports is active: is there a cable, is its interface up?"
    else
        soft=yes
        check_soft
        [ ${#missing[@]} -eq 0 ] || lacks "and there is no adapter: nothing below $sysfs"
    fi
}

find_device
if [ ${#missing[@]} -gt 0 ]; then
    echo "test-on-rdma: nothing to test on" >&2
    printf '  - %s\n' "${missing[@]}" >&2
    exit 77
fi
if [ -n "$check" ]; then
    echo "test-on-rdma: ${device:-soft RoCE can be made} with UCX $(pkg-config --modversion ucx)"
    exit 0
fi

# --- soft RoCE --------------------------------------------------------------------------------------------------------------

undo() {
    local i
    for ((i = ${#made[@]} - 1; i >= 0; i--)); do
        ${made[i]} 2>/dev/null
    done
}
trap undo EXIT
trap 'exit 1' INT TERM

cannot() {
    echo "test-on-rdma: nothing to test on: $*" >&2
    exit 77
}

make_soft() {
    local one=tcrxe$$ other=tcrxf$$
    one=${one:0:15} other=${other:0:15}
    [ -d /sys/module/rdma_rxe ] || modprobe rdma_rxe || cannot "modprobe rdma_rxe failed"
    ip link add "$one" type veth peer name "$other" || cannot "no pair of interfaces (veth) could be made"
    made+=("ip link delete $one")
    # A network for benchmarks, which is never in use.
    ip address add 198.18.0.1/30 dev "$one" && ip link set "$one" up && ip link set "$other" up ||
        cannot "the pair of interfaces could not be set up"
    rdma link add "$one" type rxe netdev "$one" || cannot "rdma link add: soft RoCE could not be made of $one"
    made+=("rdma link delete $one")
    for _ in $(seq 50); do
        device=$(active_port "$one") && return
        sleep 0.1
    done
    cannot "soft RoCE on $one has no active port after 5 s"
}

[ -z "$soft" ] || make_soft

# --- tests ------------------------------------------------------------------------------------------------------------------

if [ "$build" = build/dev ]; then
    cmake --preset dev >/dev/null && cmake --build --preset dev -j "$(nproc)" || exit 1
fi
failed=()
passed=0
log=$build/rdma.log
: >"$log"
export UCX_NET_DEVICES=$device TC_CACHE_DIR= UCX_LOG_FILE=stderr

# run NAME VARIABLE=VALUE ... COMMAND...: a test, of which only the name is shown when it passes. 77: it was skipped.
run() {
    local name=$1 status
    shift
    echo "== $name" >>"$log"
    timeout 900 env "$@" >>"$log.one" 2>&1 </dev/null
    status=$?
    cat "$log.one" >>"$log"
    if [ $status -eq 0 ] || [ $status -eq 77 ]; then
        passed=$((passed + 1))
        echo "$([ $status -eq 0 ] && echo ok || echo skipped)  $name"
    else
        failed+=("$name")
        echo "FAILED ($status)  $name"
        tail -n 30 "$log.one"
    fi
    rm -f "$log.one"
}

places=(TC_IFUNC_PATH="$PWD/$build/tests/shipped" TC_ENGINE_PATH="$PWD/$build/lib" TC_LOG_LEVEL=error)
suites=(functions delivery quotas errors closing finish tiers waiting serving pressure invocation calls group_calls travels barriers groups)

# suite WAY EXPECTED VARIABLE=VALUE...: all of them.
suite() {
    local way=$1 expected=$2 name
    shift 2
    for name in "${suites[@]}"; do
        run "conformance.$name, $way" "${places[@]}" EXPECTED_DELIVERY="$expected" "$@" "$build/tests/conformance/test_$name"
    done
}

ucx=$(pkg-config --modversion ucx)
tells=$(printf '1.14\n%s\n' "$ucx" | sort -V | head -n 1)
echo "test-on-rdma: $device, UCX $ucx"
suite "am by rc" am TC_DELIVERY=am UCX_TLS=rc,self
suite "put by rc" put TC_DELIVERY=put UCX_TLS=rc,self
if [ "$tells" = 1.14 ]; then
    suite "auto by rc" put UCX_TLS=rc,self
else
    suite "auto by rc (this UCX cannot tell)" am UCX_TLS=rc,self
fi
suite "am by ud" am TC_DELIVERY=am UCX_TLS=ud,self
for way in am put; do
    for program in forwarding addresses group_walks reconnections silent_peers sudden_deaths; do
        run "integration.$program, $way by rc" "${places[@]}" EXPECTED_DELIVERY=$way TC_DELIVERY=$way TC_TIER=fast UCX_TLS=rc,self \
            "$build/tests/integration/test_$program"
    done
    for class in check_messages.py:Messages check_messages.py:Ending check_refusals.py:Refusals check_failures.py:Failures; do
        run "integration.${class#*:}, $way by rc" TC_DELIVERY=$way UCX_TLS=rc,self python3 -B "tests/integration/${class%:*}" "$build/bin" \
            "$build/tests/shipped" "$build/tests/integration/libcheck_args.so" "${class#*:}"
    done
    run "reliability.matrix, $way by rc" UCX_TLS=rc,self python3 -B tests/reliability/reliability.py "$build" matrix --way $way
done

# --- costs ----------------------------------------------------------------------------------------------------------

echo
echo "tc-perf over $device: half a round trip, rate; then large payloads"
for experiment in "tsi --modes bare,cached" "bandwidth --modes put,am,am-safe,cached"; do
    # shellcheck disable=SC2086
    timeout 900 "$build/bin/tc-perf" $experiment --delivery am,put --tls rc,self ||
        failed+=("tc-perf $experiment")
done

echo
echo "test-on-rdma: $passed passed, ${#failed[@]} failed over $device; all that they said is in $log"
[ ${#failed[@]} -eq 0 ] || printf '  %s\n' "${failed[@]}"
[ ${#failed[@]} -eq 0 ]
