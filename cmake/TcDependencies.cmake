# The libraries that the project stands on, each as one imported target.
find_package(PkgConfig REQUIRED)
pkg_check_modules(ucx REQUIRED IMPORTED_TARGET ucx>=1.13)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
find_package(Threads REQUIRED)

if(TC_WITH_LLVM)
  pkg_check_modules(elf REQUIRED IMPORTED_TARGET libelf)
  if(TC_LLVM_VERSION LESS 17 OR TC_LLVM_VERSION GREATER 22)
    message(FATAL_ERROR "TC_LLVM_VERSION is ${TC_LLVM_VERSION}: expected 17 to 22")
  endif()
  find_program(TC_LLVM_CONFIG NAMES llvm-config-${TC_LLVM_VERSION}
    HINTS /usr/lib/llvm-${TC_LLVM_VERSION}/bin REQUIRED
    DOC "llvm-config of the LLVM to build with; package llvm-${TC_LLVM_VERSION}-dev")
  find_program(TC_CLANG NAMES clang-${TC_LLVM_VERSION}
    HINTS /usr/lib/llvm-${TC_LLVM_VERSION}/bin REQUIRED
    DOC "the clang that tc-clang runs; package clang-${TC_LLVM_VERSION}")
  # Any lld will do: it links objects, whose format does not change with LLVM's version.
  find_program(TC_LLD NAMES ld.lld-${TC_LLVM_VERSION} ld.lld-19 ld.lld REQUIRED
    HINTS /usr/lib/llvm-${TC_LLVM_VERSION}/bin
    DOC "the lld that tc-clang runs to link images; package lld-${TC_LLVM_VERSION}")
  execute_process(COMMAND ${TC_LLVM_CONFIG} --includedir OUTPUT_VARIABLE tc_llvm_include
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${TC_LLVM_CONFIG} --libdir OUTPUT_VARIABLE tc_llvm_libdir
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${TC_LLVM_CONFIG} --version OUTPUT_VARIABLE tc_llvm_version
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  find_library(TC_LLVM_LIBRARY NAMES LLVM-${TC_LLVM_VERSION} HINTS ${tc_llvm_libdir} NO_DEFAULT_PATH REQUIRED)
  # Our C only needs LLVM's C headers; as system headers they bring no warnings of their own.
  add_library(tc_llvm INTERFACE)
  target_include_directories(tc_llvm SYSTEM INTERFACE ${tc_llvm_include})
  target_link_libraries(tc_llvm INTERFACE ${TC_LLVM_LIBRARY})
endif()

if(TC_BUILD_TESTS)
  pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)
endif()
