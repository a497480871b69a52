# tc_add_ifunc for the tree itself, with the tc-clang that it builds; in a cross build, with that of this machine's own build.
set(tc_clang tc-clang)
set(tc_ar tc-ar)
if(CMAKE_CROSSCOMPILING)
  set(tc_clang ${TC_HOST_BUILD}/bin/tc-clang)
  set(tc_ar ${TC_HOST_BUILD}/bin/tc-ar)
endif()
set(tc_package tc-package)
if(CMAKE_CROSSCOMPILING)
  set(tc_package ${TC_HOST_BUILD}/bin/tc-package)
endif()
set_property(GLOBAL PROPERTY TC_PACKAGE_PROGRAM ${tc_package})
set_property(GLOBAL PROPERTY TC_PACKAGE_CLANG ${tc_clang})
set_property(GLOBAL PROPERTY TC_IFUNC_CLANG ${tc_clang})
set_property(GLOBAL PROPERTY TC_IFUNC_AR ${tc_ar})
set_property(GLOBAL PROPERTY TC_IFUNC_INCLUDE ${PROJECT_SOURCE_DIR}/include)
set_property(GLOBAL PROPERTY TC_IFUNC_TARGETS ${TC_IFUNC_TARGETS})

# The output of tc-clang depends on its sources and on LLVM, but not on the compiler of tc-clang: builds of this tree can
# share the archives of tc_add_ifunc. Those of other commands (tests/shipped, tests/engine) each build makes itself.
set(TC_FUNCTION_BUILD "" CACHE PATH "another build of this tree, by the same LLVM, whose functions are taken instead of made")
if(TC_FUNCTION_BUILD)
  load_cache(${TC_FUNCTION_BUILD} READ_WITH_PREFIX tc_theirs_ TC_LLVM_VERSION TC_IFUNC_TARGETS)
  if(NOT tc_theirs_TC_LLVM_VERSION STREQUAL TC_LLVM_VERSION OR NOT "${tc_theirs_TC_IFUNC_TARGETS}" STREQUAL "${TC_IFUNC_TARGETS}")
    message(FATAL_ERROR "TC_FUNCTION_BUILD: ${TC_FUNCTION_BUILD} has functions by LLVM '${tc_theirs_TC_LLVM_VERSION}' for "
      "'${tc_theirs_TC_IFUNC_TARGETS}', this build by LLVM '${TC_LLVM_VERSION}' for '${TC_IFUNC_TARGETS}'")
  endif()
  set(taker ${PROJECT_BINARY_DIR}/take-function)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/take-function.sh.in ${taker} @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE)
  if(${TC_FUNCTION_BUILD}/bin/tc-clang IS_NEWER_THAN ${taker})
    file(TOUCH ${taker}) # all are taken again
  endif()
  set_property(GLOBAL PROPERTY TC_IFUNC_CLANG ${taker})
endif()
include(TcIfunc)
include(TcPackage)
