#!/bin/sh
# Runs the first program, with its words, in the processes of a tc-run with an even rank, and
# the second in the others. by_rank.sh EVEN ODD
exec $(if [ $((TC_RUN_RANK % 2)) -eq 0 ]; then echo "$1"; else echo "$2"; fi)
