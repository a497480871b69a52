# Figures 3 to 7 of "MPI-Interoperable Generalized Active Messages" (Zhao, Balaji, Gropp, Thakur), and the same by MPI, for reproduce.sh,
# which has the functions and settings that are used here.
#   benchmarks/papers/reproduce.sh mpi-am [BUILD [DIR]]

# mpi_am_start NAME: the command that starts two ranks of an MPI, in the array mpi_am_starter, and its program in mpi_am_program; fails
# where there is none. Both are as tc-perf has them: no yielding, no binding, their own shared memory or, for NAME-tcp, tcp over loopback.
mpi_am_start() {
    local folder=$build/benchmarks/papers/mpi-am run
    mpi_am_program=$folder/mpi-am-bench
    run=$(sed -n 's/^MPIEXEC_EXECUTABLE:[^=]*=//p' "$build/CMakeCache.txt")
    case $1 in
    openmpi*)
        [ -x "$mpi_am_program" ] && "$run" --version | grep -qE 'Open MPI|OpenRTE' || return 1
        mpi_am_starter=("$run" --bind-to none --host localhost:2 -n 2 --mca pml ob1 --mca mpi_yield_when_idle 0)
        case $1 in
        *-tcp) mpi_am_starter+=(--mca btl self,tcp --mca btl_tcp_if_include lo --mca osc ^sm) ;;
        *) mpi_am_starter+=(--mca btl self,vader) ;;
        esac
        ;;
    mpich*)
        if [ -x "$mpi_am_program-mpich" ]; then
            mpi_am_program=$mpi_am_program-mpich
            run=$(sed -n 's/^TC_MPICH_RUN:[^=]*=//p' "$build/CMakeCache.txt")
        elif [ ! -x "$mpi_am_program" ] || "$run" --version | grep -qE 'Open MPI|OpenRTE'; then
            return 1
        fi
        mpi_am_starter=("$run" -bind-to none -n 2)
        case $1 in
        *-tcp) mpi_am_starter+=(-genv MPIR_CVAR_NOLOCAL 1 -genv FI_PROVIDER tcp) ;;
        esac
        ;;
    esac
}

# measure_mpi_am NAME option...: all ways beside that MPI's, as mpi-am-NAME.json.
measure_mpi_am() {
    local name=$1 tls=()
    shift
    mpi_am_start "$name" || return 0
    case $name in
    *-tcp) tls=(UCX_TLS=tcp,self TC_DELIVERY=am) ;;
    esac
    echo "${tls[*]} $(basename "${mpi_am_starter[0]}") ${mpi_am_starter[*]:1} $(basename "$mpi_am_program") $*" | sed 's/^ //' | tee -a "$dir/commands.txt"
    env "${tls[@]}" TC_IFUNC_PATH="$build/benchmarks/papers" TC_CHECK_THREADS=no OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        timeout -k 5 600 "${mpi_am_starter[@]}" "$mpi_am_program" "$@" --json "$dir/mpi-am-$name.json" >"$dir/mpi-am-$name.txt"
}

measure_mpi_am_all() {
    local name
    : >"$dir/commands.txt"
    cut -d ' ' -f 1-3 /proc/loadavg >"$dir/load.txt"
    for name in openmpi mpich; do
        measure_mpi_am "$name" --awaited "$am_awaited" --messages "$am_messages" --rounds "$am_rounds"
        measure_mpi_am "$name-tcp" --parts single,hundred --awaited "$am_tcp_awaited" --rounds "$am_tcp_rounds"
    done
    measure mpi-am-figures am --modes units,credit,ordering -n "$am_messages" --rounds "$am_rounds"
    measure mpi-am-figures-tcp am --modes units,ordering -n "$am_tcp_messages" --rounds "$am_tcp_rounds" --tls tcp,self --delivery am
    measure mpi-am-origins am --modes origins --origins "$am_origins" -n "$am_messages" --rounds "$am_rounds"
    cut -d ' ' -f 1-3 /proc/loadavg >>"$dir/load.txt"
}

# mpi_am FILE PROGRAM: jq on it, with `fixed` for figures and `row` for one of the rows.
mpi_am() {
    jq -r 'def fixed: if . == null then "-" elif . >= 100 then round | tostring elif . >= 10 then . * 10 | round / 10 | tostring else . * 100 | round / 100 | tostring end;
        def of(m): [.rows[] | . as $row | select(m | to_entries | all(.value == $row[.key]))];
        def one(m; name): of(m) | if length == 0 then null else .[0][name] end;
        '"$2" "$dir/mpi-am-$1.json"
}

# mpi_am_hundred NAME: microseconds of an active message of 100 segments by each way.
mpi_am_hundred() {
    [ -f "$dir/mpi-am-$1.json" ] || return 0
    mpi_am "$1" '. as $all | "### \(.env.options.mpi)\(if .env.options.tls then ", tcp" else "" end)", "",
        "| way | search | sum | accumulate |", "|---|---:|---:|---:|",
        ((reduce .rows[] as $r ([]; if $r.part == "hundred" and (index([$r.way]) | not) then . + [$r.way] else . end))[] as $w
         | "| `\($w)` | " + ([("search", "sum", "accumulate") as $o | [{part: "hundred", operation: $o, way: $w} as $m | $all | of($m)[]]
             | if length == 0 then "-" else .[0] | "\(.ns / 1000 | fixed) (\(.least_ns / 1000 | fixed))" end] | join(" | ")) + " |"), ""'
}

# mpi_am_rates NAME: million segments a second.
mpi_am_rates() {
    [ -f "$dir/mpi-am-$1.json" ] || return 0
    mpi_am "$1" '. as $all | "### \(.env.options.mpi)", "", "| way | segments of a message | 20 bytes | 64 bytes | 400 bytes |", "|---|---:|---:|---:|---:|",
        ([.rows[] | select(.part == "rate") | {way, segments}] | unique_by([.way, .segments])[] as $w
         | "| `\($w.way)` | \($w.segments) | " + ([(20, 64, 400) as $x | ({part: "rate", x: $x} + $w) as $m | $all | one($m; "segments_per_s")
             | if . == null then null else . / 1e6 end | fixed] | join(" | ")) + " |"), ""'
}

# mpi_am_units FILE: Figure 3.
mpi_am_units() {
    mpi_am "$1" '. as $all | "| segments of a unit | the paper: search, us | search, us | the function alone | million searches/s | sums, us | the function alone | million sums/s |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|",
        (range(10; 101; 10) as $x | "| \($x) | \({"10": "115", "20": "95"}[$x | tostring] // "-") | "
         + ([("search", "sum") as $o | ("am", "function", "many") as $c
             | (if $c == "many" then {part: "units", operation: $o, x: $x, way: "am", awaited: false} else {part: "units", operation: $o, x: $x, way: $c, awaited: true} end) as $m
             | $all | if $c == "many" then one($m; "segments_per_s") | if . then . / 1e6 else null end else one($m; "ns") | if . then . / 1000 else null end end | fixed]
            | join(" | ")) + " |")'
}

# mpi_am_claims: what the text of the paper gives, beside the same here.
mpi_am_claims() {
    local name=figures
    printf '| figure | the paper | here |\n|---|---:|---:|\n'
    mpi_am $name '. as $all
        | def unit($o; $x): $all | one({part: "units", operation: $o, x: $x, way: "am", awaited: true}; "ns");
          def best($o; f): [$all | of({part: "units", operation: $o, way: "am", awaited: (f == "ns")})[] | {x, v: .[f]}] | if f == "ns" then min_by(.v) else max_by(.v) end | .x;
          def order($o): [$all | of({part: "ordering", order: $o})[]] | sort_by(.x) | last.segments_per_s;
        "| 3(a): latency of a search, units of 100 to 10 segments | 0.70 | \(unit("search"; 100) / unit("search"; 10) | fixed) |",
        "| 3(a): the same, 20 to 10 | 0.83 | \(unit("search"; 20) / unit("search"; 10) | fixed) |",
        "| 3(b): unit of the highest rate of searches | 40 | \(best("search"; "segments_per_s")) |",
        "| 3(c): unit of the least latency of sums | 40 | \(best("sum"; "ns")) |",
        "| 6: rate without order, to that with it | close to 1.25 | \(order("none") / order("strict") | fixed) |",
        ([$all | of({part: "credit"})[]] | sort_by(.x) | "| 4: rate with the most credit, to that with the least | - | \(last.segments_per_s / first.segments_per_s | fixed) |")'
    mpi_am origins '. as $all | ([.rows[].origins] | max) as $most
        | [of({part: "origins", way: "am", x: $most})[].ns] as $times
        | "| 5: time with the worst to that with the best buffer, at most | 1.7 | \(($times | max) / ($times | min) | fixed) (\($most) origins) |",
          "| 7: rate of origins that compute themselves, to that at the target | more than 9 (16 processes) | \((one({part: "origins", way: "am-concurrent", x: $most}; "segments_per_s")) / (one({part: "origins", way: "am", x: $most, credit_bytes: 65536}; "segments_per_s")) | fixed) (\($most) origins) |"'
}

mpi_am_ratios() {
    [ -f "$dir/mpi-am-$1.json" ] || return 0
    printf '### %s\n\n| ratio | median of rounds | of least times |\n|---|---:|---:|\n' "$1"
    mpi_am "$1" '.ratios | to_entries[] | select(.key | test("'"$2"'")) | "| `\(.key)` | \(.value.ratio | fixed) | \(.value.ratio_of_least | fixed) |"'
    printf '\n'
}

mpi_am_page() {
    local name
    cat <<END
# Generalized active messages on this machine

Machine: $(machine mpi-am-figures). Load before the run $(sed -n 1p "$dir/load.txt"), after it $(sed -n 2p "$dir/load.txt") (the run's own processes included).
$(mpi_am figures '.env.options | "Ranks are \(if .pinned then "pinned to a processor each" else "not pinned" end); a word in shared memory takes \(.word_ns | fixed) ns."')

## The paper's figures and ours

$(mpi_am_claims)

## Figure 3: units

![units, credit and order](mpi-am-figures.svg)

$(mpi_am_units figures)

Over tcp:

![units and order over tcp](mpi-am-figures-tcp.svg)

$(mpi_am_units figures-tcp)

## Figures 5 and 7: origins

![origins](mpi-am-origins.svg)

## An active message of 100 segments, and MPI

Microseconds, medians of rounds, in brackets the least.

$(for name in openmpi mpich openmpi-tcp mpich-tcp; do
        [ -f "$dir/mpi-am-$name.json" ] && printf '![%s](mpi-am-%s.svg)\n\n' "$name" "$name"
        mpi_am_hundred "$name"
    done)

## Rates

Million segments a second.

$(for name in openmpi mpich; do mpi_am_rates "$name"; done)

## Ratios

$(for name in openmpi mpich openmpi-tcp mpich-tcp; do mpi_am_ratios "$name" '^(single|hundred|rate)_.*(am-100|am-concurrent-100|am-1)_to_(call-1|mpi-)'; done)

## Commands

\`\`\`
$(cat "$dir/commands.txt")
\`\`\`

\`benchmarks/papers/reproduce.sh mpi-am\` runs them; the JSON of each, and the table that it printed, is beside this page. \`docs/papers/mpi-am.md\` says what is measured.
END
}
