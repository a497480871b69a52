# How tests are registered. Every test has one label, and its name starts with it: "unit.cursor".
option(TC_VARIANT_TESTS "make tests of the other build variants (sanitizers, other compilers) and of the demo" OFF)
set(TC_TESTS "" CACHE STRING "build the programs of tests with these names alone: an expression, as ctest -R takes it; empty: all")
set(TC_TESTS_BUT "" CACHE STRING "but not of tests with these names, as ctest -E; empty: none")

# Sanitizers slow a program down; a deadline ends tests that hang, and does not judge speed.
set(tc_timeout_factor 1)
# No test writes into the user's home. One that wants an object cache names a folder of its own.
set(tc_test_environment TC_CACHE_DIR=)
if(TC_SANITIZE)
  set(tc_timeout_factor 5)
  # UCX patches mmap and its like in place, and finds the sanitizer's interceptor there.
  list(APPEND tc_test_environment UCX_MEM_MMAP_HOOK_MODE=none)
elseif(ucx_VERSION VERSION_GREATER_EQUAL 1.16 AND NOT EXISTS /sys/class/infiniband)
  # One of a few hundred busy starts in a forked child never leaves ucp_init: docs/troubleshooting.md. Only RDMA adapters need
  # its hooks of mmap.
  list(APPEND tc_test_environment UCX_MEM_MMAP_HOOK_MODE=none)
endif()

if(CMAKE_CROSSCOMPILING)
  set(tc_timeout_factor 3)
  # UCX finds a dead peer by the start time of its process, which qemu 7.2 gives each thread of its own differently.
  list(APPEND tc_test_environment UCX_KEEPALIVE_INTERVAL=inf)
  # An emulated program cannot start the process that compiles.
  list(APPEND tc_test_environment TC_COMPILER=auto)
endif()

# The program that starts jobs under PMIx in tests. Its options differ: only Open MPI's is used.
set(tc_mpirun)
find_program(TC_MPIRUN NAMES mpirun.openmpi mpirun DOC "package openmpi-bin")
if(TC_MPIRUN AND NOT CMAKE_CROSSCOMPILING)
  execute_process(COMMAND ${TC_MPIRUN} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "Open MPI|OpenRTE") # the texts of mpirun and mpirun.openmpi
    set(tc_mpirun ${TC_MPIRUN})
  endif()
endif()

# tc_runnable(OUT target): the path by which another program starts it: its own, or in a cross build that of a script that
# starts it by qemu.
function(tc_runnable out target)
  if(NOT CMAKE_CROSSCOMPILING)
    set(${out} $<TARGET_FILE:${target}> PARENT_SCOPE)
    return()
  endif()
  set(script ${PROJECT_BINARY_DIR}/run/${target})
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
  file(GENERATE OUTPUT ${script} CONTENT "#!/bin/sh\nexec ${emulator} '$<TARGET_FILE:${target}>' \"$@\"\n"
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE)
  set(${out} ${script} PARENT_SCOPE)
endfunction()

# A test is started by a program that ends it at its limit, counted in the time that the machine gives it
# (tests/support/time_limit.c). CTest's own limit is for a machine with so many times as much work as processors. In a cross
# build the host has that program.
set(tc_time_limit $<TARGET_FILE:time_limit>)
if(CMAKE_CROSSCOMPILING)
  set(tc_time_limit ${TC_HOST_BUILD}/tests/support/time_limit)
endif()
set(tc_busy_factor 25)

# tc_limit_time(TEST SECONDS): the CTest property of a test that is started so.
function(tc_limit_time test seconds)
  math(EXPR seconds "${seconds} * ${tc_busy_factor}")
  set_tests_properties(${test} PROPERTIES TIMEOUT ${seconds})
endfunction()

# tc_choose_program(TEST PROGRAM): leaves the test's program out of `all`, unless TC_TESTS and TC_TESTS_BUT choose this or another
# test of it.
function(tc_choose_program test program)
  if(NOT TARGET ${program} OR NOT program MATCHES "^(test_|replay_|sim-)")
    return()
  endif()
  if((NOT TC_TESTS OR test MATCHES "${TC_TESTS}") AND NOT (TC_TESTS_BUT AND test MATCHES "${TC_TESTS_BUT}"))
    set_target_properties(${program} PROPERTIES TC_CHOSEN ON EXCLUDE_FROM_ALL OFF)
    return()
  endif()
  get_target_property(chosen ${program} TC_CHOSEN)
  if(NOT chosen)
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# tc_add_command_test(NAME label COMMAND program args... [TIMEOUT s] [ENV A=b ...]): any command as one CTest test.
function(tc_add_command_test name label)
  cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND;ENV" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  # qemu starts a test, and nothing that a test starts. The program of one that is left out needs no building.
  if(CMAKE_CROSSCOMPILING AND NOT label MATCHES "unit|conformance|fuzz|mixed")
    list(GET arg_COMMAND 0 program)
    if(TARGET ${program} AND program MATCHES "^test_")
      set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    return()
  endif()
  math(EXPR timeout "${arg_TIMEOUT} * ${tc_timeout_factor}")
  list(POP_FRONT arg_COMMAND program)
  # A variable that is found later leaves a command without its program, until the tree is configured again.
  if(NOT program OR program MATCHES "^-")
    message(FATAL_ERROR "the test ${label}.${name} starts with \"${program}\": expected a program")
  endif()
  tc_choose_program(${label}.${name} ${program})
  if(TARGET ${program})
    set(program ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${label}.${name} COMMAND ${tc_time_limit} ${timeout} ${program} ${arg_COMMAND})
  tc_limit_time(${label}.${name} ${timeout})
  # Long tests begin first: at the end it would leave processors idle.
  set_tests_properties(${label}.${name} PROPERTIES LABELS "${label};${tc_guest}" COST ${arg_TIMEOUT})
  set_tests_properties(${label}.${name} PROPERTIES ENVIRONMENT "${tc_test_environment};${arg_ENV}")
endfunction()

# tc_add_skipped_test(NAME label REASON): a test that only prints the reason why it is skipped. A reason has no semicolon where it
# is run: CMake would take that for the end of an argument.
function(tc_add_skipped_test name label reason)
  string(REPLACE ";" ":" reason "${reason}")
  tc_add_command_test(${name} ${label} COMMAND sh -c "echo \"skipped: $0\" && exit 77" "${reason}")
  if(TEST ${label}.${name})
    set_tests_properties(${label}.${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
endfunction()

# tc_add_test_program(TARGET SOURCES a.c ... [LIBS ...]): a cmocka program. It links LIBS, or else the library's objects
# statically, so that it reaches the private functions too.
function(tc_add_test_program target)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT arg_LIBS)
    set(arg_LIBS tchains_static)
  endif()
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tc_flags PkgConfig::cmocka test_main ${arg_LIBS})
endfunction()

# tc_add_test_objects(TARGET SOURCES a.c ...): the common sources of several test programs, compiled once: $<TARGET_OBJECTS:TARGET>
# among the sources of each.
function(tc_add_test_objects target)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  add_library(${target} OBJECT ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tc_flags PkgConfig::cmocka tchains_static)
endfunction()

# tc_add_test(NAME label SOURCES a.c ... [LIBS ...] [ARGS ...] [TIMEOUT s] [ENV A=b ...]): a cmocka program with the library's
# objects and LIBS as one CTest test.
function(tc_add_test name label)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;ARGS;ENV" ${ARGN})
  tc_add_test_program(test_${name} SOURCES ${arg_SOURCES} LIBS tchains_static ${arg_LIBS})
  tc_add_command_test(${name} ${label} COMMAND test_${name} ${arg_ARGS} TIMEOUT ${arg_TIMEOUT} ENV ${arg_ENV})
endfunction()

# Where a test finds the functions that it sends, and the compiler.
set(tc_test_places TC_IFUNC_PATH=${PROJECT_BINARY_DIR}/tests/shipped TC_ENGINE_PATH=${PROJECT_BINARY_DIR}/lib
  TC_LOG_LEVEL=error)

# For tests in which UCX meets processes that are gone, and leaks its state of them. A leak is distinguished from UCX's own
# by its whole stack, which the quick unwinder loses in a library without frame pointers.
set(tc_ucx_leaks LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan_ucx.supp:print_suppressions=0)
set(tc_whole_stacks fast_unwind_on_malloc=0)
# libgcc allocates while it holds the lock of the frames that LLVM has registered, and AddressSanitizer takes that lock for a
# whole stack of each allocation: so no better code is made in such a process, which is all that its tests need LLVM for.
if(TC_SANITIZE STREQUAL address)
  list(APPEND tc_whole_stacks TC_TIER=fast)
endif()

# The ways that messages take, and a test's environment for each. EXPECTED_DELIVERY is the delivery that an endpoint must
# report. All of them take a function's image; the last two are forms by name.
set(tc_way_direct EXPECTED_DELIVERY=direct)
set(tc_way_am_shared_memory EXPECTED_DELIVERY=am TC_DELIVERY=am)
set(tc_way_am_tcp EXPECTED_DELIVERY=am TC_DELIVERY=am UCX_TLS=tcp,self)
set(tc_way_auto_tcp EXPECTED_DELIVERY=stream UCX_TLS=tcp,self)
set(tc_way_stream EXPECTED_DELIVERY=stream TC_DELIVERY=stream)
set(tc_way_put_shared_memory EXPECTED_DELIVERY=put TC_DELIVERY=put)
# These two take tcp for an adapter: put_tcp, as put is refused there otherwise; auto_put, so that `auto` takes puts.
set(tc_way_put_tcp EXPECTED_DELIVERY=put TC_DELIVERY=put UCX_TLS=tcp,self)
set(tc_way_auto_put EXPECTED_DELIVERY=put UCX_TLS=tcp,self)
# With a key that all share: before the HELLO, and for all that is sent.
set(tc_test_key ${PROJECT_BINARY_DIR}/tests/cluster.key)
string(REPEAT 5eed 16 tc_test_key_digits)
file(WRITE ${tc_test_key} "tchains-key cluster ${tc_test_key_digits}\n")
file(CHMOD ${tc_test_key} PERMISSIONS OWNER_READ OWNER_WRITE)
set(tc_way_keyed EXPECTED_DELIVERY=direct TC_KEY_FILE=${tc_test_key})
set(tc_way_sealed EXPECTED_DELIVERY=stream TC_DELIVERY=stream TC_KEY_FILE=${tc_test_key})
set(tc_way_loopback EXPECTED_DELIVERY=loopback)
set(tc_way_image EXPECTED_DELIVERY=direct TC_FORM=image)
set(tc_way_bitcode EXPECTED_DELIVERY=direct TC_FORM=bitcode TC_COMPILED=orc)
set(tc_way_compiled_image EXPECTED_DELIVERY=direct TC_FORM=bitcode TC_COMPILED=image)
set(tc_way_compiled_auto EXPECTED_DELIVERY=direct TC_FORM=bitcode)

# tc_add_conformance(NAME WAYS way... [SOURCES a.c ...] [SENDS function...] [ENV A=b ...]): the suite test_NAME.c, run once for each way.
# SENDS are functions of tests/shipped that it sends. The way `loopback` is a delivery of a test's table, not of the library's: the
# layers above deliveries must not depend on the list of deliveries.
function(tc_add_conformance name)
  cmake_parse_arguments(arg "" "" "WAYS;SOURCES;LIBS;SENDS;ENV" ${ARGN})
  tc_add_test_program(test_${name} SOURCES test_${name}.c $<TARGET_OBJECTS:test_pair> ${arg_SOURCES} LIBS ${arg_LIBS})
  list(TRANSFORM arg_SENDS PREPEND ifunc_)
  add_dependencies(test_${name} ${tc_compiler_module} ifunc_check ${arg_SENDS})
  if(TARGET tchains-tls)
    add_dependencies(test_${name} tchains-tls)
  endif()
  foreach(way ${arg_WAYS})
    set(program test_${name})
    set(objects)
    if(way STREQUAL "loopback")
      set(program test_${name}_loopback)
      set(objects delivery_loopback)
    elseif(way MATCHES "^(put_tcp|auto_put)$")
      set(program test_${name}_rdma)
      set(objects rdma_everywhere)
    endif()
    if(objects AND NOT TARGET ${program})
      add_executable(${program} $<TARGET_OBJECTS:test_${name}> $<TARGET_OBJECTS:test_pair> $<TARGET_OBJECTS:${objects}>)
      target_link_libraries(${program} PRIVATE tc_flags tchains_static PkgConfig::cmocka test_main ${arg_LIBS})
      add_dependencies(${program} test_${name})
    endif()
    tc_add_command_test(${name}.${way} conformance COMMAND ${program} TIMEOUT 300
      ENV ${tc_test_places} ${tc_way_${way}} ${arg_ENV})
  endforeach()
endfunction()

# tc_add_fuzzer(NAME [NODE] [SOURCES a.c ...] [LIBS ...] [OPTIONS ...]): the LLVMFuzzerTestOneInput of NAME_fuzzer.c twice: always
# as a plain driver that replays corpus/NAME in CTest, and with TC_FUZZERS as a libFuzzer program, fuzz_NAME, for longer runs
# (scripts/fuzz.sh builds them). NODE: with the cores of tests/support/fake_node.h. SOURCES, LIBS and linker OPTIONS are for both.
function(tc_add_fuzzer name)
  cmake_parse_arguments(arg "NODE" "" "SOURCES;LIBS;OPTIONS" ${ARGN})
  set(programs replay_${name})
  add_executable(replay_${name} ${name}_fuzzer.c $<TARGET_OBJECTS:replay_main>)
  tc_add_command_test(${name} fuzz COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name} TIMEOUT 120)
  if(TC_FUZZERS)
    add_executable(fuzz_${name} EXCLUDE_FROM_ALL ${name}_fuzzer.c)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    list(APPEND programs fuzz_${name})
    add_dependencies(fuzzers fuzz_${name} replay_${name})
  endif()
  foreach(program ${programs})
    target_sources(${program} PRIVATE ${arg_SOURCES})
    target_link_libraries(${program} PRIVATE tc_flags tchains_static ${arg_LIBS})
    target_link_options(${program} PRIVATE ${arg_OPTIONS})
    if(arg_NODE)
      target_sources(${program} PRIVATE $<TARGET_OBJECTS:fake_node>)
      target_link_libraries(${program} PRIVATE PkgConfig::cmocka)
    endif()
  endforeach()
endfunction()

# The other variants of the build, each a whole tree of its own with its own CTest run, and the demo. Only the preset `test` has
# them, so that no variant runs the variants again. Tests wait more than they compute, so one variant at a time is built behind
# them, at a low priority. Its tests take as many processes as this build's own, but count as half of them: so those of two
# variants run at a time, and the last tests of one leave no processor idle.
function(tc_add_variant name)
  set(command ${PROJECT_SOURCE_DIR}/scripts/variant.sh ${name})
  add_test(NAME variant_build.${name} COMMAND nice -n 10 ${tc_time_limit} 3000 ${command} --build)
  add_test(NAME variant.${name} COMMAND ${tc_time_limit} 3000 ${command} --test)
  set_tests_properties(variant_build.${name} PROPERTIES FIXTURES_SETUP variant_${name} RESOURCE_LOCK tc_build)
  set_tests_properties(variant.${name} PROPERTIES FIXTURES_REQUIRED variant_${name} PROCESSORS ${tc_processors})
endfunction()
if(TC_VARIANT_TESTS)
  include(ProcessorCount)
  ProcessorCount(tc_processors)
  set(guest aarch64)
  if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(guest x86_64)
  endif()
  # The longest tests first, so that builds are left to run beside them.
  set(variants asan tsan ${guest} llvm22 nollvm bare)
  add_test(NAME variant.demo COMMAND nice -n 10 ${tc_time_limit} 3000 ${PROJECT_SOURCE_DIR}/scripts/demo.sh)
  # Builds of which no test waits, as those of tests/package: one at a time beside those of the variants, when the tests of this
  # build have begun.
  set_tests_properties(variant.demo PROPERTIES RESOURCE_LOCK tc_last_build COST 1)
  set(cost 10000) # first of all
  foreach(variant ${variants})
    tc_add_variant(${variant})
    set_tests_properties(variant.${variant} variant_build.${variant} PROPERTIES COST ${cost})
    math(EXPR cost "${cost} - 1")
  endforeach()
  set(tests ${variants})
  list(TRANSFORM tests PREPEND variant_build.)
  list(TRANSFORM variants PREPEND variant.)
  foreach(test ${tests} ${variants} variant.demo)
    tc_limit_time(${test} 3000)
  endforeach()
  set_tests_properties(${tests} ${variants} variant.demo PROPERTIES LABELS variant
    ENVIRONMENT "TC_CACHE_DIR=;TC_HOST_BUILD=${PROJECT_BINARY_DIR}")
  set_tests_properties(variant.${guest} variant_build.${guest} PROPERTIES LABELS "variant;${guest}")
endif()

# tc_add_language_document(NAME document PROGRAM compiler PACKAGE package [ENV A=b ...] [TYPED]): executes a document about
# another language in a folder that has the sources beside it, or, TYPED, only the document's files. Without the compiler the
# test is skipped.
function(tc_add_language_document name document)
  cmake_parse_arguments(arg "TYPED" "PROGRAM;PACKAGE" "ENV" ${ARGN})
  set(mode --sources)
  if(arg_TYPED)
    set(mode)
  endif()
  string(MAKE_C_IDENTIFIER "TC_${arg_PROGRAM}" program)
  string(TOUPPER ${program} program)
  find_program(${program} NAMES ${arg_PROGRAM} DOC "package ${arg_PACKAGE}")
  if(NOT ${program})
    tc_add_skipped_test(${name} languages "no ${arg_PROGRAM}: package ${arg_PACKAGE}")
  else()
    tc_add_command_test(${name} languages TIMEOUT 180 ENV ${arg_ENV} COMMAND ${TC_PYTHON} -B
      ${PROJECT_SOURCE_DIR}/tests/manuals/run_document.py ${mode} ${document} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
      ${CMAKE_C_COMPILER})
  endif()
endfunction()
