# The functions in D as better C, by an ldc with an LLVM that the one here can read.
find_program(ldc ldc2 NO_CACHE)
if(NOT ldc)
  tc_benchmark_language(d MISSING "no ldc2 (Debian: apt-get install ldc)")
  return()
endif()
execute_process(COMMAND ${ldc} --version OUTPUT_VARIABLE text ERROR_QUIET)
string(REGEX MATCH "LLVM ([0-9]+)" text "${text}")
if(NOT text OR CMAKE_MATCH_1 GREATER TC_LLVM_VERSION)
  tc_benchmark_language(d MISSING "${ldc} has LLVM '${CMAKE_MATCH_1}', expected ${TC_LLVM_VERSION} or older")
  return()
endif()
tc_benchmark_bitcode(d d "${tc_benchmark_targets}" tsi ${tc_benchmark_reply}
  COMMAND ${ldc} -betterC -O2 --mtriple=@TARGET@-linux-gnu --output-bc -c @SOURCE@ -of=@OUT@)
