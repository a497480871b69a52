#!/bin/sh
# The program of the manual page, in two processes, prints its sums.
#   check_example.sh RUN_JOB ARGUMENT ...
set -eu
found=$("$@" | sort)
expected='rank 0: 6, and 1 3 6
rank 1: 6, and 1 3 6'
[ "$found" = "$expected" ] && exit 0
printf 'found:\n%s\nexpected:\n%s\n' "$found" "$expected"
exit 1
