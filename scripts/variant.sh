#!/usr/bin/env bash
# Configures, builds and tests one preset in its own tree, build/PRESET, and prints the result in one line.
# Everything else is printed only when a step fails.
#   scripts/variant.sh asan|tsan|llvm22|clang|nollvm|bare|aarch64|...
#   scripts/variant.sh asan --build    without its tests; those alone: --test
# With TC_HOST_BUILD in the environment, a build that is there, its functions are taken where the same LLVM would make them again.
set -uo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/variant.sh PRESET [--build | --test]}
step=${2:---all}
build=build/$preset
log=$build/variant.log
mkdir -p "$build"

fail() {
    echo "variant $preset: $*" >&2
    exit 1
}

# Without its compiler a variant has not passed, so this is a failure and not a skip.
need() {
    command -v "$1" >/dev/null || fail "$1 is missing: install the package $2 (scripts/install-deps.sh --tests)"
}

configure() {
    if ! "$@" </dev/null >"$log" 2>&1; then
        tail -n 60 "$log"
        fail "configuring failed: $*"
    fi
}

# The tests of each variant, by names, in expressions of nine pairs of parentheses at most: ctest matches nothing by one that has
# more. CONTRIBUTING.md has the reasons. Whatever is not listed, the build `test` runs.
# All ways take images but bitcode and compiled_image.
forms='^conformance\..*\.(direct|bitcode|compiled_image)$'
# Sending itself is tested by every way. Above it a sanitizer sees the same code of ours by either shared memory of UCX's or its
# tcp, by `image` as by `direct`, and by a delivery of a test's; TLS under a `stream` by what sends.
sending='^conformance\.(closing|delivery|functions)\.'
sanitized="$sending|^conformance\\..*\\.(direct|stream|am_tcp|put_shared_memory|bitcode)$"
# In these, threads of the library's send, or wake those that do.
threads='calls|events|groups|send_start|served|serving|upgrades|wait_policies|waiting'
# Units with threads, locks, or memory that is written from two sides.
shared='audit.*|backlog|cache_shared|code_.*|compiler_p.*|doorbell|engine.*|file_guard|hand_lock|image_loader|injector'
shared+='|line_wait|live_process|load.*|lock_invariants|logger|lookout|module.*|object_cache|old_opens|pending|process_.*|put_protocol'
shared+='|random_words|ring.*|second_module|self_guard|serving_thread|socket_user|sole_user|staging|stream.*|ucx_sh.*|wakeup'
# Units that code passes through.
code='archive.*|cache.*|code.*|engine.*|image.*|load.*|package.*|process_symbols|symbol.*'
these=.
but='^$'
jobs=$((2 * $(nproc)))
targets=()
case $preset in
    asan)
        need clang-19 clang-19
        # Documents, drawings, makers of archives, options of each tool and pairs of them, and other programs' view of code have little
        # of ours that is new in the sanitized process.
        these="^(unit|fuzz|integration|reliability)\\.|$sanitized"
        # tc-perf does the same in another experiment, or by another way; code is the same by each.
        but='^integration\.(.*\.am_shared_memory|.*\.put_shared_memory|(isolation|refusals)\.am_tcp|languages_.*|layout_document|manners'
        but+='|cxx_sources|image_make|lesson_13_.*|tc_clang_.*|tc_package'
        but+='|(labels|optionpairs|passwords|processors|sections)\..*|manual_examples|troubleshooting|tutorial'
        but+='|tc_perf_((alone|bandwidth|call|cycles|first_call|icache|ifunc_api|integrity|intrusion|iput|languages|library|overhead'
        but+='|plot|poll|protection|put|rings|served|ssum|tables|tail|wait).*|.*_(am|tcp)))$'
        but+='|^conformance\.(bad_code|code_crowd|code_forms|constructors|constructors_kept|exceptions|made_code|openmp|processor'
        but+='|signed_code|tiers|upgrades)\.(stream|am_tcp|put_shared_memory)$|^conformance\.upgrades\.bitcode$'
        but+='|^reliability\.attacks\.tcp$|^reliability\.attacks\.put$|^unit\.sim_scale$|^unit\.sim_failures$'
        but+='|^conformance\.task_troubles\.bitcode$|^conformance\.task.*\.stream$|^conformance\.task.*\.am_tcp$|^conformance\.task.*\.put_shared_memory$'
        ;;
    tsan)
        need clang-19 clang-19
        these="^unit\\.($shared)$|$sending|^conformance\\..*\\.direct$|^conformance\\..*\\.bitcode$|^conformance\\.pressure\\.am_shared_memory$"
        these+="|^conformance\\.($threads)\\.(stream|am_tcp|put_shared_memory|sealed)$"
        these+='|^integration\.(isolation|longcalls|messages|reconnections|sealedcache|strange_peers)\.(direct|bitcode)$'
        these+='|^integration\.tc_perf_(first_call|flood|tsi_forms|tsi_senders)$'
        ;;
    clang)
        need clang-19 clang-19
        these="^(unit|fuzz)\\.|$forms|^layout\\.(exports|headers|library)$"
        ;;
    llvm22)
        need clang-22 clang-22
        need llvm-config-22 llvm-22-dev
        these="^unit\\.($code)$|$forms|^layout\\.(exports|headers|library)$"
        these+='|^integration\.(confinement|crashes|debugger|isolation|labels|messages|processors|profiler|sealedcache|sections)'
        these+='\.(direct|bitcode)$'
        these+='|^integration\.(code_size|cxx_sources|image_make|layout_check|layout_document)$'
        these+='|^integration\.(foreign_code|languages_.*|tc_ar_create|tc_clang.*|tc_perf_first_call|tc_perf_tsi_forms|tutorial)$'
        ;;
    nollvm)
        these="^integration\\.|^unit\\.($code)$"
        these+="|$sending|$forms|^layout\\.(exports|headers|library|options_document)$"
        # Ways, drawings and experiments of UCX are the same without LLVM.
        but='^integration\.(passwords\..*|.*\.(am_shared_memory|am_tcp|put_shared_memory|own_memory|tcp)|optionpairs\..*|test_on_rdma'
        but+='|tc_perf_(plot|dapc|tail|cycles|rings|put|library|languages|icache|wait|bandwidth).*)$'
        ;;
    bare)
        # The build `test` runs messages on a library without modules. Here its size counts.
        these='^layout\.(small_library|bare_exports)$'
        targets=(--target tchains time_limit)
        ;;
    aarch64 | x86_64)
        # The tests of the engine load images compiled from bitcode too, and at each level; above it few suites see a difference.
        these="^(unit|fuzz|mixed)\\.|^conformance\\.delivery\\.|^conformance\\..*\\.direct$"
        these+='|^conformance\.(constructors|constructors_kept|exceptions|functions|libraries|processor|tiers)\.(bitcode|compiled_image)$'
        # many_endpoints counts memory, and is slow. Nothing in the others depends on the processor but memory's order, which qemu
        # does not show.
        but='^conformance\.(many_endpoints|policy|quotas|finish|fast_path|wait_policies|versions|signed_doors|window_requests'
        but+='|window_ends|packages|library_(sets|comebacks|troubles|owners)|waiting|pressure|barriers|group_calls|window_groups)\.'
        ;;
esac

build_it() {
    # No variant runs tc-perf's functions in other languages: their compilers take as long as the rest of tc-perf.
    local shared=(-DTC_BENCHMARK_LANGUAGES=c++ -DTC_TESTS="$these" -DTC_TESTS_BUT="$but")
    case $preset in
        asan | tsan | clang | aarch64 | x86_64) shared+=(-DTC_FUNCTION_BUILD="${TC_HOST_BUILD:-}") ;;
    esac
    case $preset in
        # When this runs as a test, the machine's own build exists already.
        aarch64 | x86_64) configure scripts/cross-aarch64.sh --configure "${shared[@]}" ;;
        *) configure cmake --preset "$preset" "${shared[@]}" ;;
    esac
    scripts/build.sh "$build" "${targets[@]}" || fail "building failed"
    echo "variant $preset: built in $SECONDS s"
}

test_it() {
    local start=$SECONDS summary
    if ! ctest --test-dir "$build" -R "$these" -E "$but" -j "$jobs" --no-tests=error </dev/null >"$log" 2>&1; then
        grep -m 1 'tests passed' "$log"
        scripts/failures.sh "$build"
        fail "testing failed"
    fi
    summary=$(grep -m 1 'tests passed' "$log")
    echo "variant $preset: $summary, in $((SECONDS - start)) s"
}

case $step in
    --all) build_it && test_it ;;
    --build) build_it ;;
    --test) test_it ;;
    *) fail "'$step': expected --build, --test or nothing" ;;
esac
