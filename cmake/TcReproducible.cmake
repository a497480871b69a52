# The same sources give the same bytes in whatever folder they are built: docs/install.md, chapter "The same bytes again".
#
# Optimised builds name no folder of the machine. Those for debugging do: a debugger finds the sources by it.
if(CMAKE_BUILD_TYPE MATCHES "^(Release|MinSizeRel)$")
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-ffile-prefix-map=/from=/to TC_HAS_PREFIX_MAP)
  if(TC_HAS_PREFIX_MAP)
    # The last one that fits counts: a build folder may lie in the tree.
    add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/)
  endif()
endif()
# An installed program's table of texts is as long as its rpath was in the build.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
# Members of archives without times and owners; ar does so by itself where it was configured to.
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
