# tc_add_addon(NAME SOURCES a.c ... [LIBS ...]): libtchains-NAME, a library on the public headers alone, and the objects tc_NAME_objects
# for tests. Its exports are those of NAME.map. It has its own copies of a few files of runtime/base, which it hides.
function(tc_add_addon name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_library(tc_${name}_objects OBJECT ${arg_SOURCES})
  target_link_libraries(tc_${name}_objects PRIVATE tc_flags ${arg_LIBS})
  # Functions of theirs run as tasks, as those do that tc-clang compiles.
  target_compile_options(tc_${name}_objects PRIVATE -fstack-clash-protection)

  set(target tchains-${name})
  add_library(${target} SHARED $<TARGET_OBJECTS:tc_${name}_objects> $<TARGET_OBJECTS:tc_addon_base>)
  set_target_properties(${target} PROPERTIES
    VERSION ${TC_SOVERSION}.${PROJECT_VERSION} SOVERSION ${TC_SOVERSION} INSTALL_RPATH $ORIGIN
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.map)
  target_link_libraries(${target} PRIVATE tc_flags ${arg_LIBS} PUBLIC tchains)
  # Never unloaded: contexts keep pointers to its code.
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/${name}.map -Wl,-z,nodelete)

  install(TARGETS ${target} EXPORT tchains LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT runtime NAMELINK_COMPONENT development)
  tc_installed(${target})
endfunction()

set(tc_base ${PROJECT_SOURCE_DIR}/runtime/base)
add_library(tc_addon_base OBJECT ${tc_base}/error_text.c ${tc_base}/printable.c ${tc_base}/sized_struct.c)
target_link_libraries(tc_addon_base PRIVATE tc_flags)
