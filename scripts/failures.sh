#!/usr/bin/env bash
# Prints which tests of the last CTest run in a build folder did not pass, each with the end of what it said.
#   scripts/failures.sh BUILD
set -euo pipefail
tests=${1:?usage: scripts/failures.sh BUILD}/Testing/Temporary
lines=200 # of each

[ -s "$tests/LastTestsFailed.log" ] || exit 0
while IFS=: read -r _ name; do
    echo "--- $name"
    # Of its block in the log: what lies between "Output:" and the verdict, without the cases that passed.
    awk -v name="$name" '
        $2 == "Testing:" { inside = $3 == name; printing = 0 }
        $0 == "<end of output>" { printing = 0 }
        inside && printing && !/^\[ RUN      \]|^\[       OK \]|^-+$/ { print }
        inside && /^Test time =/ { print }
        inside && $0 == "Output:" { printing = 1 }
    ' "$tests/LastTest.log" | tail -n "$lines"
done <"$tests/LastTestsFailed.log"
echo "--- $(wc -l <"$tests/LastTestsFailed.log") failed: $(cut -d: -f2 "$tests/LastTestsFailed.log" | paste -sd' ')"
