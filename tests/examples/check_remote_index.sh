#!/usr/bin/env bash
# Lookups in each way, by groups of several sizes and deliveries: all find their values. A wrong value and a missing key
# are noticed in each way, and bad command lines are refused.
#   check_remote_index.sh RUN_SH BUILD_DIR
set -euo pipefail
run=$1
build=$2
fail() {
    echo "$1" >&2
    exit 1
}
"$run" "$build" -n 3 -l 50 -r 2
# One owner and one leaf, which is the root; then a tree of many levels and long lists. The first round is not counted.
TC_FORM=bitcode "$run" "$build" -n 2 -k 1 -l 10 -r 1
"$run" "$build" -n 4 -k 3000 -f 2 -b 50 -l 20 -r 1
# Two clients; copies of inner nodes that are out of date; leaves larger than the stack that a waiting function may keep.
TC_DELIVERY=stream "$run" "$build" -n 4 -c 2 -k 2000 -v 4096 -f 64 --change 3 -l 8 -r 1
# Messages that take longer: each lookup has two at least, of which the delay of one may have begun with another's.
said=$("$run" "$build" -n 3 -k 500 -l 5 -r 1 --delay 3000 --change 2)
fast=$(awk 'index($0, "t") == 1 { us = substr($0, 29) + 0; if (us < 4500) print }' <<<"$said")
[ -z "$fast" ] || fail "found '$fast', expected 4500 us and more in each way"
[ "$(grep -c '^t.* us ' <<<"$said")" = 7 ] || fail "found '$said', expected 7 ways"

# damaged WHAT TEXT: each of the seven ways prints that of key number 50 of 100.
damaged() {
    local what=$1 text=$2 status=0 said
    said=$("$run" "$build" -n 3 -k 100 -l 5 -r 1 --damage "$what" 2>&1) || status=$?
    [ "$status" = 1 ] || fail "a damaged $what: exit status $status, expected 1"
    [ "$(grep -c "key 151: $text\$" <<<"$said")" = 7 ] || fail "a damaged $what: found '$said', expected that 7 ways notice it"
}
damaged value 'found a value, expected another value'
damaged key 'found nothing, expected a value'

# refused EXPECTED OPTION...
refused() {
    local expected=$1 said
    shift
    if said=$("$run" "$build" "$@" -l 1 -r 1 2>&1); then
        fail "$*: was taken"
    fi
    grep -qF -- "$expected" <<<"$said" || fail "$*: found '$said', expected '$expected'"
}
refused "--keys: '0', expected 1 to 1000000" -n 1 -k 0
refused "--keys: '5x', expected 1 to 1000000" -n 1 -k 5x
refused "--keys: 'with such values', expected 256 MiB of values at most" -n 1 -k 1000000 -v 1024
refused "--value: '12', expected a multiple of 8" -n 1 -v 12
refused "--damage: 'all', expected value or key" -n 1 --damage all
refused "--delay: 'with several clients', expected one client" -n 1 -c 2 -d 1
refused "argument: '10000', expected options alone" -n 1 10000
refused "2 ranks, expected more than 2 clients" -n 2 -c 2
refused "unrecognized option '--nonsense'" -n 1 --nonsense

said=$("$(dirname "$run")/measure.sh" "$build" --only '1,000 keys' -l 5 -r 2)
[ "$(grep -c '^| 1,000 keys .*\*\*' <<<"$said")" = 2 ] || fail "found '$said', expected a row in two tables, and the best in bold"
