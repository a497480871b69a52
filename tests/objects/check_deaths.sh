#!/usr/bin/env bash
# The job of PROGRAM deaths, in which rank 2 is killed: it is the only one that fails.
#   check_deaths.sh TC_RUN PROGRAM
set -uo pipefail
report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$1" --timeout 150 --keep-going --json "$report" -n 4 "$2" deaths
ended=$(grep -o '"status": [0-9]*' "$report" | sort | uniq -c | tr -s ' \n' ' ')
case $ended in
*'3 "status": 0'*'"status": 137'*) ;;
*)
    echo "found $ended: expected three processes that ended with 0, and one that was killed" >&2
    exit 1
    ;;
esac
