# tc_add_ifunc(NAME SOURCES a.c ... [LIBS -lfoo ...] [FLAGS ...]): NAME.tca (and NAME.deps) in the current binary folder, built by
# the tc-clang of this tree for both architectures. Targets that need it depend on ifunc_NAME.
function(tc_add_ifunc name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;FLAGS" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.tca)
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${out}
    COMMAND tc-clang ${arg_SOURCES} -o ${out} -I${PROJECT_SOURCE_DIR}/include ${arg_FLAGS} ${arg_LIBS}
    DEPENDS tc-clang ${arg_SOURCES} COMMENT "ifunc ${name}" VERBATIM)
  add_custom_target(ifunc_${name} ALL DEPENDS ${out})
endfunction()
