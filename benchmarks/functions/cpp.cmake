# The functions in C++, by tc-clang, which every build with LLVM has.
foreach(name tsi chase_reply chase_return)
  tc_add_ifunc(${name}_cpp SOURCES functions/${name}.cpp FLAGS -I${CMAKE_CURRENT_SOURCE_DIR}/ifuncs
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/ifuncs/dapc.h ${CMAKE_CURRENT_SOURCE_DIR}/ifuncs/return_result.h)
endforeach()
tc_benchmark_language(c++ BUILT tsi_cpp chase_reply_cpp chase_return_cpp)
