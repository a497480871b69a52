#!/usr/bin/env bash
# Prints why the last build or the last CTest run in a folder failed: for a build the compilers' messages; for tests each that
# did not pass, with its output, and their names at the very end. All of it is a hundred lines at most, as often only the end
# of a long run is kept.
#   scripts/failures.sh BUILD
set -euo pipefail
build=${1:?usage: scripts/failures.sh BUILD}
tests=$build/Testing/Temporary
room=90 # lines, of all together

# Prints beginning and end of its input, in so many lines, each shorter than a screen.
shorten() {
    awk -v room="$1" '
        { line[NR] = length($0) > 500 ? substr($0, 1, 480) " ..." : $0 }
        END {
            first = NR > room ? int(room / 3) : NR
            for (i = 1; i <= first; i++) print line[i]
            if (NR > room) print "... (" NR - room + 1 " lines)"
            for (i = NR > room ? NR - room + first + 2 : NR + 1; i <= NR; i++) print line[i]
        }'
}

# The log of scripts/build.sh without successful steps, and without commands.
of_build() {
    awk '
        after_failed { after_failed = 0; next }
        /^FAILED: / { after_failed = 1; print; next }
        /^\[[0-9]+\/[0-9]+\]/ || /^ninja: build stopped/ { next }
        { print }
    ' "$build/build.log" | shorten $room
    echo "--- the build of $build failed"
}

# Prints the part of a test's block in CTest's log between "Output:" and the verdict, without the cases that
# passed.
of_test() {
    awk -v name="$1" '
        /^Unable to find executable/ { unfound = $0; next }
        $2 == "Testing:" { inside = $3 == name; printing = 0; if (inside && unfound) print unfound; unfound = "" }
        $0 == "<end of output>" { printing = 0 }
        inside && printing && !/^\[ RUN      \]|^\[       OK \]|^-+$/ { print }
        inside && !printing && /^Test time =/ { print }
        inside && $0 == "Output:" { printing = 1 }
    ' "$tests/LastTest.log"
}

if [ -s "$build/build.log" ]; then
    of_build
    exit 0
fi
[ -s "$tests/LastTestsFailed.log" ] || exit 0
number=$(wc -l <"$tests/LastTestsFailed.log")
names=$(cut -d: -f2 "$tests/LastTestsFailed.log")
each=$(((room - number) / number))
for name in $names; do
    echo "--- $name"
    [ $each -lt 6 ] || of_test "$name" | shorten $each
done | tail -n $room
echo "--- $number failed: $(paste -sd' ' <<<"$names")"
