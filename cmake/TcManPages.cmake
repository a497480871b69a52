# Man pages from docs/man/NAME.SECTION.md, in man/manSECTION of the build folder. Included when all programs are known: one
# that is not built has no page.
find_program(TC_LOWDOWN NAMES lowdown DOC "converts the man pages; package lowdown")
if(NOT TC_LOWDOWN)
  message(STATUS "man pages are not built: no lowdown (package lowdown)")
  return()
endif()
set(script ${PROJECT_SOURCE_DIR}/scripts/man-page.sh)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.md)
set(pages)
foreach(source ${sources})
  cmake_path(GET source STEM LAST_ONLY page) # NAME.SECTION
  cmake_path(GET page STEM LAST_ONLY program)
  cmake_path(GET page EXTENSION LAST_ONLY section)
  string(SUBSTRING ${section} 1 -1 section)
  if(section STREQUAL 1 AND NOT TARGET ${program} AND NOT (program STREQUAL tc-rustc AND TC_WITH_LLVM))
    continue()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/man/man${section})
  add_custom_command(OUTPUT ${folder}/${page}
    COMMAND ${script} ${source} ${PROJECT_VERSION} ${folder}
    DEPENDS ${source} ${script} COMMENT "man page ${page}" VERBATIM)
  list(APPEND pages ${folder}/${page})
endforeach()
add_custom_target(man_pages ALL DEPENDS ${pages})
tc_installed(man_pages FILES ${pages})
