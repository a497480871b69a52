# The tc-clang that makes functions is the one of this tree; in a cross build, the one of this machine's own.
set(tc_clang tc-clang)
if(CMAKE_CROSSCOMPILING)
  set(tc_clang ${TC_HOST_BUILD}/bin/tc-clang)
endif()

# tc_add_ifunc(NAME SOURCES a.c ... [LIBS -lfoo ...] [FLAGS ...] [DEPENDS header.h ...]):
# NAME.tca (and with LIBS NAME.deps) in the current binary folder, built by the tc-clang of this tree
# for both architectures. Targets that need it depend on ifunc_NAME. Sources may be generated files,
# by absolute path.
function(tc_add_ifunc name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;FLAGS;DEPENDS" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.tca)
  set(sources)
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    list(APPEND sources ${path})
  endforeach()
  set(deps)
  if(arg_LIBS)
    set(deps BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.deps)
  endif()
  # tc-clang sees what the sources include, CMake does not: public headers are named for all.
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tc/*.h)
  add_custom_command(OUTPUT ${out} ${deps}
    COMMAND ${tc_clang} ${sources} -o ${out} -I${PROJECT_SOURCE_DIR}/include ${arg_FLAGS} ${arg_LIBS}
    DEPENDS ${tc_clang} ${sources} ${headers} ${arg_DEPENDS} COMMENT "ifunc ${name}" VERBATIM)
  add_custom_target(ifunc_${name} ALL DEPENDS ${out})
endfunction()
