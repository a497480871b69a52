# Man pages, in man/manSECTION of the build folder. Included when all programs are known: one that is not built has no page.
# Sections 1 and 7 are docs/man/NAME.SECTION.md. A page of section 3 is made of a public header and docs/man/tc_HEADER.3.md, as
# man/tc_HEADER.3.md, which documents and tests take also where lowdown is missing.
file(GLOB written CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.[17].md)
file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.3.md)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/tc/*.h)
set(generator ${PROJECT_SOURCE_DIR}/scripts/manual/header_manual.py)
list(TRANSFORM parts REPLACE ^.*/ ${PROJECT_BINARY_DIR}/man/ OUTPUT_VARIABLE tc_made_manuals)
# At a time: a page leads to the pages of functions of other headers.
add_custom_command(OUTPUT ${tc_made_manuals}
  COMMAND ${TC_PYTHON} -B ${generator} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/man
  DEPENDS ${headers} ${parts} ${generator} ${PROJECT_SOURCE_DIR}/scripts/manual/manual_page.py
    ${PROJECT_SOURCE_DIR}/runtime/base/counter_list.h
  COMMENT "manuals of the public headers" VERBATIM)
add_custom_target(header_manuals ALL DEPENDS ${tc_made_manuals})
if(TC_INSTALL_DOCS)
  tc_installed(header_manuals FILES ${tc_made_manuals})
endif()

find_program(TC_LOWDOWN NAMES lowdown DOC "converts the man pages; package lowdown")
if(NOT TC_LOWDOWN)
  message(STATUS "man pages are not built: no lowdown (package lowdown)")
  return()
endif()
set(script ${PROJECT_SOURCE_DIR}/scripts/man-page.sh)
set(pages)
foreach(source ${written} ${tc_made_manuals})
  cmake_path(GET source STEM LAST_ONLY page) # NAME.SECTION
  cmake_path(GET page STEM LAST_ONLY program)
  cmake_path(GET page EXTENSION LAST_ONLY section)
  string(SUBSTRING ${section} 1 -1 section)
  if(section STREQUAL 1 AND NOT TARGET ${program} AND NOT (program STREQUAL tc-rustc AND TC_WITH_LLVM))
    continue()
  endif()
  set(without)
  set(parts)
  if(page STREQUAL tc-perf.1 AND NOT TC_PERF_PAPERS)
    set(without PAPERS)
  elseif(section STREQUAL 3)
    string(REGEX REPLACE ^tc_ "" header ${program})
    set(parts ${PROJECT_SOURCE_DIR}/include/tc/${header}.h ${PROJECT_SOURCE_DIR}/docs/man/${page}.md)
  endif()
  set(folder ${PROJECT_BINARY_DIR}/man/man${section})
  add_custom_command(OUTPUT ${folder}/${page}
    COMMAND ${script} ${source} ${PROJECT_VERSION} ${folder} "${without}" ${parts}
    DEPENDS ${source} ${script} COMMENT "man page ${page}" VERBATIM)
  list(APPEND pages ${folder}/${page})
endforeach()
# A build of some tests has no pages, unless one of them installs it.
set(all ALL)
if(TC_TESTS AND (TC_SANITIZE OR NOT "integration.install" MATCHES "${TC_TESTS}"))
  set(all)
endif()
add_custom_target(man_pages ${all} DEPENDS ${pages})
add_dependencies(man_pages header_manuals)
tc_installed(man_pages FILES ${pages})
