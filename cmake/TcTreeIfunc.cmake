# tc_add_ifunc for the tree itself, with the tc-clang that it builds; in a cross build, with that of this machine's own build.
set(tc_clang tc-clang)
if(CMAKE_CROSSCOMPILING)
  set(tc_clang ${TC_HOST_BUILD}/bin/tc-clang)
endif()
set_property(GLOBAL PROPERTY TC_IFUNC_CLANG ${tc_clang})
set_property(GLOBAL PROPERTY TC_IFUNC_INCLUDE ${PROJECT_SOURCE_DIR}/include)
set_property(GLOBAL PROPERTY TC_IFUNC_TARGETS ${TC_IFUNC_TARGETS})
include(TcIfunc)
