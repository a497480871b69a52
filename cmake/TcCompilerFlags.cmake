# Warnings and sanitizers, as an interface target that every target of the project links.
add_library(tc_flags INTERFACE)
# The tree uses no name that is kept for programs of release 0.1.
target_compile_definitions(tc_flags INTERFACE _GNU_SOURCE TC_WITHOUT_0_1)
target_compile_options(tc_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  -fno-strict-aliasing $<$<BOOL:${TC_WERROR}>:-Werror>)
# Texts for people are cut to their buffers on purpose.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(tc_flags INTERFACE -Wno-format-truncation)
endif()
# A section for each function, so that the linker drops unused ones from the library. Sanitizers keep lists of sections.
if(NOT TC_SANITIZE)
  set(tc_sections -ffunction-sections -fdata-sections)
  set(tc_used_sections -Wl,--gc-sections)
endif()
target_include_directories(tc_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/runtime ${PROJECT_SOURCE_DIR}/bitcode-archive)

if(TC_FUZZERS AND NOT (TC_SANITIZE STREQUAL "address" AND CMAKE_C_COMPILER_ID MATCHES Clang))
  message(FATAL_ERROR "TC_FUZZERS is on with TC_SANITIZE '${TC_SANITIZE}' and ${CMAKE_C_COMPILER_ID}: expected address and Clang")
endif()
if(TC_SANITIZE STREQUAL "address")
  target_compile_options(tc_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  target_link_options(tc_flags INTERFACE -fsanitize=address,undefined)
  # It reads the bytes before a function, where shipped code has no page.
  if(CMAKE_C_COMPILER_ID MATCHES Clang)
    target_compile_options(tc_flags INTERFACE -fno-sanitize=function)
  endif()
  # The fuzzers link the library, and see only code compiled with coverage.
  if(TC_FUZZERS)
    target_compile_options(tc_flags INTERFACE -fsanitize=fuzzer-no-link
      -fsanitize-coverage-ignorelist=${PROJECT_SOURCE_DIR}/cmake/coverage-ignore.txt)
  endif()
elseif(TC_SANITIZE STREQUAL "thread")
  target_compile_options(tc_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(tc_flags INTERFACE -fsanitize=thread)
elseif(TC_SANITIZE)
  message(FATAL_ERROR "TC_SANITIZE is '${TC_SANITIZE}': expected empty, address or thread")
endif()
