# tc_add_test(NAME label SOURCES a.c ... [LIBS ...] [ARGS ...] [TIMEOUT s]): a cmocka program as one CTest test. It links the library's objects
# statically, so it reaches the private functions too. The test's name is NAME with its label in front: "unit.cursor".
function(tc_add_test name label)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;ARGS;ENV" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  set(target test_${name})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE tc_flags tchains_static PkgConfig::cmocka ${arg_LIBS})
  # A test names types that -Wmissing-prototypes and -Wconversion police in the product; it may be looser with casts.
  target_compile_options(${target} PRIVATE -Wno-conversion -Wno-sign-conversion)
  add_test(NAME ${label}.${name} COMMAND ${target} ${arg_ARGS})
  set_tests_properties(${label}.${name} PROPERTIES LABELS "${label}" TIMEOUT ${arg_TIMEOUT})
  if(arg_ENV)
    set_tests_properties(${label}.${name} PROPERTIES ENVIRONMENT "${arg_ENV}")
  endif()
endfunction()

# tc_add_fuzzer(NAME SOURCE corpus_dir): the same LLVMFuzzerTestOneInput twice: always as a plain driver that replays its
# corpus in CTest, and with clang as a libFuzzer program, fuzz_NAME, for longer runs by hand.
function(tc_add_fuzzer name source corpus)
  add_executable(replay_${name} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c)
  target_link_libraries(replay_${name} PRIVATE tc_flags tchains_static)
  add_test(NAME fuzz.${name} COMMAND replay_${name} ${corpus})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 300)
  if(CMAKE_C_COMPILER_ID MATCHES Clang AND TC_SANITIZE STREQUAL "address")
    add_executable(fuzz_${name} ${source})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz_${name} PRIVATE tc_flags tchains_static)
  endif()
endfunction()
