#!/usr/bin/env bash
# bfs with groups and graphs of several sizes: all distances are right.
#   check_bfs.sh RUN_SH BUILD_DIR
set -euo pipefail
run=$1
build=$2
"$run" "$build" -n 4 --scale 10 --roots 4
"$run" "$build" -n 3 --scale 12 --edges 8 --seed 7 --roots 2
"$run" "$build" -n 1 --scale 6 --roots 2
# More ranks than vertices: some have no vertex.
"$run" "$build" -n 5 --scale 2 --edges 4 --roots 2
# A message that waits for space in the queue makes the level go on later.
TC_RING_BYTES=4K TC_SEND_QUEUE_BYTES=16K "$run" "$build" -n 2 --scale 14 --roots 1
