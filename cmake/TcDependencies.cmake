# The libraries that the project stands on, each as one imported target.
find_package(PkgConfig REQUIRED)

# tc_find_library(NAME module soname...): the library of that pkg-config module as PkgConfig::NAME. A cross build takes this
# machine's headers, in which architectures do not differ, and the guest's libraries by the names that they have at run time:
# the -dev packages of a guest would replace this machine's.
function(tc_find_library name module)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  if(CMAKE_CROSSCOMPILING)
    set(libraries)
    foreach(soname ${ARGN})
      find_file(TC_GUEST_${soname} NAMES ${soname} PATHS ${tc_guest_libdirs} NO_DEFAULT_PATH REQUIRED
        DOC "of the guest architecture; scripts/cross-aarch64.sh installs it")
      list(APPEND libraries ${TC_GUEST_${soname}})
    endforeach()
    set_target_properties(PkgConfig::${name} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}"
      INTERFACE_LINK_DIRECTORIES "")
  endif()
endfunction()

tc_find_library(ucx ucx>=1.13 libucp.so.0 libuct.so.0 libucs.so.0)
tc_find_library(zstd libzstd libzstd.so.1)
tc_find_library(sodium libsodium libsodium.so.23)
find_package(Threads REQUIRED)

if(TC_WITH_LLVM)
  tc_find_library(elf libelf libelf.so.1)
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
  if(CMAKE_CROSSCOMPILING)
    set(tc_llvm_libdir ${tc_guest_libdirs})
  endif()
  find_library(TC_LLVM_LIBRARY NAMES LLVM-${TC_LLVM_VERSION} HINTS ${tc_llvm_libdir} NO_DEFAULT_PATH REQUIRED)
  # Our C only needs LLVM's C headers; as system headers they bring no warnings of their own.
  add_library(tc_llvm INTERFACE)
  target_include_directories(tc_llvm SYSTEM INTERFACE ${tc_llvm_include})
  target_link_libraries(tc_llvm INTERFACE ${TC_LLVM_LIBRARY})
endif()

if(TC_BUILD_TESTS)
  tc_find_library(cmocka cmocka libcmocka.so.0)
endif()
