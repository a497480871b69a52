# The functions in Julia, by the compiler of bindings/julia.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/install-julia.sh --where OUTPUT_VARIABLE julia ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  tc_benchmark_language(julia MISSING "no Julia 1.5 (scripts/install-deps.sh --julia)")
  return()
endif()
set(functions tsi ${tc_benchmark_chases})
list(TRANSFORM functions APPEND _julia)
set(outputs)
foreach(function ${functions})
  foreach(target ${tc_benchmark_targets})
    list(APPEND outputs ${CMAKE_CURRENT_BINARY_DIR}/${function}.${target}.bc)
  endforeach()
endforeach()
set(bindings ${PROJECT_SOURCE_DIR}/bindings/julia)
file(GLOB sources CONFIGURE_DEPENDS ${bindings}/ThreeChains.jl/src/*.jl)
add_custom_command(OUTPUT ${outputs}
  COMMAND ${CMAKE_COMMAND} -E env JULIA_DEPOT_PATH=${CMAKE_CURRENT_BINARY_DIR}/julia ${julia} --startup-file=no
    ${bindings}/compile.jl ${CMAKE_CURRENT_SOURCE_DIR}/functions/functions.jl ${CMAKE_CURRENT_BINARY_DIR} ${functions}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/functions/functions.jl ${bindings}/compile.jl ${sources}
  COMMENT "functions in Julia" VERBATIM)
# One target for the file that several archives are made of.
add_custom_target(julia_bitcode DEPENDS ${outputs})
foreach(function ${functions})
  list(TRANSFORM tc_benchmark_targets REPLACE "(.+)" "${CMAKE_CURRENT_BINARY_DIR}/${function}.\\1.bc" OUTPUT_VARIABLE bitcode)
  tc_add_foreign_ifunc(${function} BITCODE ${bitcode})
  add_dependencies(ifunc_${function} julia_bitcode)
endforeach()
tc_benchmark_language(julia BUILT ${functions})
