#!/bin/sh
# Of the processes of a tc-run, those of even rank become the first program, the others the second.
#   by_rank.sh EVEN ODD
exec "$(if [ $((TC_RUN_RANK % 2)) -eq 0 ]; then echo "$1"; else echo "$2"; fi)"
