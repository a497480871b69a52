# LLVM of one major version, with its clang and an lld: the target tc_llvm. Several versions may be installed; all parts come
# from version TC_LLVM_VERSION.
#
# The versions that runtime/engine/orc/llvm_compat.h is made for. It gets these numbers from here; the test layout.llvm_versions
# compares the other places with them.
set(tc_llvm_min 17)
set(tc_llvm_max 22)
if(NOT TC_LLVM_VERSION MATCHES "^[0-9]+$" OR TC_LLVM_VERSION LESS tc_llvm_min OR TC_LLVM_VERSION GREATER tc_llvm_max)
  message(FATAL_ERROR "TC_LLVM_VERSION is ${TC_LLVM_VERSION}: expected ${tc_llvm_min} to ${tc_llvm_max}")
endif()

# A tree that is configured for another version now searches again, but for paths that its user set.
set(tc_llvm_paths TC_LLVM_CONFIG TC_CLANG TC_LLD TC_LLVM_LIBRARY TC_LLVM_AS TC_LIBCLANG_INCLUDE TC_LIBCLANG)
if(DEFINED TC_FOUND_LLVM_VERSION AND NOT TC_FOUND_LLVM_VERSION STREQUAL TC_LLVM_VERSION)
  foreach(path ${tc_llvm_paths})
    if("${${path}}" STREQUAL "${TC_FOUND_${path}}")
      unset(${path} CACHE)
    endif()
  endforeach()
endif()

# In `out`, a sentence on the versions that are installed.
function(tc_other_llvms out)
  set(others)
  foreach(version RANGE ${tc_llvm_min} ${tc_llvm_max})
    find_program(config llvm-config-${version} HINTS /usr/lib/llvm-${version}/bin NO_CACHE)
    if(config)
      list(APPEND others ${version})
    endif()
    unset(config)
  endforeach()
  list(JOIN others ", " others)
  set(${out} "" PARENT_SCOPE)
  if(others)
    set(${out} "; installed here: ${others}" PARENT_SCOPE)
  endif()
endfunction()

function(tc_llvm_program_version out program)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE text RESULT_VARIABLE result ERROR_QUIET)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" version "${text}")
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

# A file without a number in its name may be of any version.
function(tc_is_of_version result program)
  tc_llvm_program_version(version ${program})
  if(NOT version MATCHES "^${TC_LLVM_VERSION}\\.")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# So may a file that the user names.
function(tc_check_llvm_program variable)
  tc_llvm_program_version(version ${${variable}})
  if(NOT version MATCHES "^${TC_LLVM_VERSION}\\.")
    message(FATAL_ERROR "${variable} is ${${variable}}, of version '${version}'; TC_LLVM_VERSION is ${TC_LLVM_VERSION}. "
      "Several versions can be installed, but one build takes everything from one: set both, or -U ${variable}.")
  endif()
endfunction()

function(tc_require_llvm variable what package)
  if(NOT ${variable})
    tc_other_llvms(others)
    message(FATAL_ERROR "${what} of LLVM ${TC_LLVM_VERSION} was not found (${variable}): install it (Debian and Ubuntu: "
      "apt install ${package}), or choose another with -DTC_LLVM_VERSION=N (${tc_llvm_min} to ${tc_llvm_max}${others}), "
      "or build without LLVM, for native images only: -DTC_WITH_LLVM=OFF")
  endif()
endfunction()

find_program(TC_LLVM_CONFIG NAMES llvm-config-${TC_LLVM_VERSION} llvm-config HINTS /usr/lib/llvm-${TC_LLVM_VERSION}/bin
  VALIDATOR tc_is_of_version DOC "llvm-config of the LLVM to build with; package llvm-${TC_LLVM_VERSION}-dev")
tc_require_llvm(TC_LLVM_CONFIG llvm-config llvm-${TC_LLVM_VERSION}-dev)
tc_check_llvm_program(TC_LLVM_CONFIG)
foreach(what includedir libdir bindir version)
  execute_process(COMMAND ${TC_LLVM_CONFIG} --${what} OUTPUT_VARIABLE tc_llvm_${what}
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endforeach()
find_program(TC_CLANG NAMES clang-${TC_LLVM_VERSION} clang HINTS ${tc_llvm_bindir} VALIDATOR tc_is_of_version
  DOC "the clang that tc-clang runs; package clang-${TC_LLVM_VERSION}")
tc_require_llvm(TC_CLANG clang clang-${TC_LLVM_VERSION})
tc_check_llvm_program(TC_CLANG)
find_program(TC_LLVM_AS NAMES llvm-as HINTS ${tc_llvm_bindir} NO_DEFAULT_PATH DOC "for a test; comes with llvm-config")
# Any lld will do: it links objects, whose format does not change with LLVM's version.
find_program(TC_LLD NAMES ld.lld-${TC_LLVM_VERSION} ld.lld-19 ld.lld HINTS ${tc_llvm_bindir}
  DOC "the lld that tc-clang runs to link images; package lld-${TC_LLVM_VERSION}")
tc_require_llvm(TC_LLD ld.lld lld-${TC_LLVM_VERSION})
if(CMAKE_CROSSCOMPILING)
  set(tc_llvm_libdir ${tc_guest_libdirs})
endif()
find_library(TC_LLVM_LIBRARY NAMES LLVM-${TC_LLVM_VERSION} LLVM HINTS ${tc_llvm_libdir} NO_DEFAULT_PATH)
tc_require_llvm(TC_LLVM_LIBRARY "the shared library" llvm-${TC_LLVM_VERSION}-dev)

# Parts that tc-clang --stubs needs; a build without them leaves that out.
find_path(TC_LIBCLANG_INCLUDE clang-c/Index.h HINTS ${tc_llvm_includedir} NO_DEFAULT_PATH
  DOC "headers of libclang; package libclang-${TC_LLVM_VERSION}-dev")
find_library(TC_LIBCLANG NAMES clang-${TC_LLVM_VERSION} clang HINTS ${tc_llvm_libdir} NO_DEFAULT_PATH
  DOC "libclang; package libclang-${TC_LLVM_VERSION}-dev")
set(TC_FOUND_LLVM_VERSION ${TC_LLVM_VERSION} CACHE INTERNAL "")
foreach(path ${tc_llvm_paths})
  set(TC_FOUND_${path} "${${path}}" CACHE INTERNAL "")
endforeach()

# Our C only needs LLVM's C headers; as system headers they bring no warnings of their own.
add_library(tc_llvm INTERFACE)
target_compile_definitions(tc_llvm INTERFACE TC_LLVM_MIN=${tc_llvm_min} TC_LLVM_MAX=${tc_llvm_max})
target_include_directories(tc_llvm SYSTEM INTERFACE ${tc_llvm_includedir})
if(TC_SELF_CONTAINED)
  # The components of the code engine. LLVM is C++, and its archives need that library's.
  execute_process(COMMAND ${TC_LLVM_CONFIG} --link-static --libfiles orcjit orcdebugging passes native bitreader bitwriter irreader linker
    OUTPUT_VARIABLE archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(archives)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE cxx_archive
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  find_library(TC_ARCHIVE_libz.a NAMES libz.a REQUIRED DOC "an archive, for TC_SELF_CONTAINED; package zlib1g-dev")
  target_link_libraries(tc_llvm INTERFACE -Wl,--start-group ${archives} -Wl,--end-group ${cxx_archive} PkgConfig::zstd ${TC_ARCHIVE_libz.a} m)
  target_link_options(tc_llvm INTERFACE -Wl,--gc-sections -Wl,--as-needed -Wl,--exclude-libs,ALL -Wl,-z,defs)
else()
  target_link_libraries(tc_llvm INTERFACE ${TC_LLVM_LIBRARY})
endif()

# Functions that use OpenMP link libomp, of whatever LLVM; those of the tree do, where it is.
file(GLOB tc_other_libdirs /usr/lib/llvm-*/lib)
if(TC_LIBOMP AND NOT EXISTS "${TC_LIBOMP}") # another package has replaced it
  unset(TC_LIBOMP CACHE)
endif()
find_library(TC_LIBOMP NAMES omp HINTS /usr/lib/llvm-${TC_LLVM_VERSION}/lib PATHS ${tc_other_libdirs} NO_DEFAULT_PATH
  DOC "libomp.so; package libomp-${TC_LLVM_VERSION}-dev")
set(tc_openmp_flags)
if(TC_LIBOMP)
  cmake_path(GET TC_LIBOMP PARENT_PATH folder)
  set(tc_openmp_flags -fopenmp -L${folder})
endif()
