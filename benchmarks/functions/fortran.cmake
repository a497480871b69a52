# The functions in Fortran, by flang of an LLVM that the one here can read.
find_program(TC_FLANG NAMES flang-new-${TC_LLVM_VERSION} flang-${TC_LLVM_VERSION} flang-new-19 flang-19
  DOC "for the benchmarks' functions in Fortran; package flang-19")
if(NOT TC_FLANG)
  tc_benchmark_language(fortran MISSING "no flang-new-${TC_LLVM_VERSION} nor flang-new-19 (Debian: apt-get install flang-19)")
  return()
endif()
foreach(name tsi chase_reply)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/functions/${name}.f90)
  set(bitcode)
  foreach(target ${tc_benchmark_targets})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}_fortran.${target}.bc)
    add_custom_command(OUTPUT ${out} COMMAND ${TC_FLANG} --target=${target}-linux-gnu -O2 -emit-llvm -c ${source} -o ${out}
      DEPENDS ${source} WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
      COMMENT "${name} in Fortran for ${target}" VERBATIM)
    list(APPEND bitcode ${out})
  endforeach()
  tc_add_foreign_ifunc(${name}_fortran BITCODE ${bitcode})
endforeach()
tc_benchmark_language(fortran BUILT tsi_fortran chase_reply_fortran)
