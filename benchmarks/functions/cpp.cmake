# The functions in C++, by tc-clang, which every build with LLVM has.
foreach(name tsi chase_reply chase_return)
  tc_benchmark_source(source ${name}.cpp)
  tc_add_ifunc(${name}_cpp SOURCES ${source} FLAGS -I${CMAKE_CURRENT_SOURCE_DIR}/papers/ifuncs
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/papers/ifuncs/dapc.h ${CMAKE_CURRENT_SOURCE_DIR}/papers/ifuncs/return_result.h)
endforeach()
tc_benchmark_language(c++ BUILT tsi_cpp chase_reply_cpp chase_return_cpp)
