# The functions in C++, by tc-clang, which every build with LLVM has.
foreach(name tsi ${tc_benchmark_chases})
  tc_benchmark_source(source ${name}.cpp)
  tc_add_ifunc(${name}_cpp SOURCES ${source} FLAGS -I${CMAKE_CURRENT_SOURCE_DIR}/papers/ifuncs
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/papers/ifuncs/dapc.h ${CMAKE_CURRENT_SOURCE_DIR}/papers/ifuncs/return_result.h)
  tc_benchmark_language(c++ BUILT ${name}_cpp)
endforeach()
