# tc_add_ifunc(NAME SOURCES a.c ... [TARGETS x86_64 aarch64] [LIBS foo ...] [FLAGS ...] [DEPENDS header.h ...])
#
# NAME.tca (and with LIBS NAME.deps) in the current binary folder, built by tc-clang; and a target ifunc_NAME, on which
# whatever needs the file depends. SOURCES may be generated files, by absolute path. TARGETS: for which architectures; both
# without it. LIBS: libraries that the function's new home loads first, as foo or -lfoo; -Lfolder says where to look. FLAGS
# go to tc-clang as they are. DEPENDS: headers of yours, which CMake does not find by itself.
#
# Of whoever includes this file: the global properties TC_IFUNC_CLANG (a program or a target) and TC_IFUNC_INCLUDE (where
# tc/entry.h is); also TC_IFUNC_TARGETS, for functions that say no TARGETS.
function(tc_add_ifunc name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;TARGETS;LIBS;FLAGS;DEPENDS")
  get_property(clang GLOBAL PROPERTY TC_IFUNC_CLANG)
  get_property(include GLOBAL PROPERTY TC_IFUNC_INCLUDE)
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tc_add_ifunc(${name}): expected SOURCES a.c ..., found '${ARGN}'")
  endif()
  if(NOT clang)
    message(FATAL_ERROR "tc_add_ifunc(${name}): no tc-clang. The tools of Three-Chains are not installed (Debian: package "
      "tchains-tools), or were built without LLVM; TCHAINS_TC_CLANG may name one.")
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.tca)
  set(command ${clang})
  set(sources)
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    list(APPEND sources ${path})
  endforeach()
  list(APPEND command ${sources} -o ${out} -I${include} ${arg_FLAGS})
  if(NOT arg_TARGETS)
    get_property(arg_TARGETS GLOBAL PROPERTY TC_IFUNC_TARGETS)
  endif()
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "," targets)
    list(APPEND command --targets=${targets})
  endif()
  set(deps)
  if(arg_LIBS)
    list(TRANSFORM arg_LIBS PREPEND -l REGEX "^[^-]")
    list(APPEND command ${arg_LIBS})
    set(deps BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.deps)
  endif()
  # tc-clang sees what the sources include, CMake does not: public headers are named for all.
  file(GLOB headers CONFIGURE_DEPENDS ${include}/tc/*.h)
  add_custom_command(OUTPUT ${out} ${deps} COMMAND ${command} DEPENDS ${clang} ${sources} ${headers} ${arg_DEPENDS}
    COMMENT "ifunc ${name}" VERBATIM)
  add_custom_target(ifunc_${name} ALL DEPENDS ${out})
endfunction()
