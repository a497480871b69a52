# The functions in Fortran, by flang of an LLVM that the one here can read.
set(names)
foreach(version RANGE ${tc_llvm_min} ${TC_LLVM_VERSION})
  list(PREPEND names flang-new-${version} flang-${version})
endforeach()
find_program(flang NAMES ${names} NO_CACHE)
if(NOT flang)
  tc_benchmark_language(fortran MISSING
    "no flang-new-${TC_LLVM_VERSION}, and none of an older LLVM (Debian: apt-get install flang-19)")
  return()
endif()
tc_benchmark_bitcode(fortran f90 "${tc_benchmark_targets}" tsi ${tc_benchmark_reply}
  COMMAND ${flang} --target=@TARGET@-linux-gnu -O2 -emit-llvm -c @SOURCE@ -o @OUT@)
