# The functions in Python, by Numba.
set(numba_missing TRUE)
if(TARGET tchains_python)
  execute_process(COMMAND ${tc_cffi_python} -c "import numba" RESULT_VARIABLE numba_missing ERROR_QUIET)
endif()
if(numba_missing)
  tc_benchmark_language(python MISSING
    "no Python with cffi and Numba, or a build with a sanitizer (Debian: apt-get install python3-cffi python3-dev python3-numba)")
  return()
endif()
file(GLOB package CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/python/tchains/*.py)
foreach(name tsi ${tc_benchmark_reply})
  tc_benchmark_source(source ${name}.py)
  set(bitcode)
  foreach(target ${tc_benchmark_targets})
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}_python.${target}.bc)
    add_custom_command(OUTPUT ${out} DEPENDS ${source} ${package} tchains_python
      COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_BINARY_DIR}/python
        ${tc_cffi_python} -B -W ignore -m tchains ${source} ${name}_python --target ${target} -o ${out}
      COMMENT "${name} in Python for ${target}" VERBATIM)
    list(APPEND bitcode ${out})
  endforeach()
  tc_add_foreign_ifunc(${name}_python BITCODE ${bitcode})
  tc_benchmark_language(python BUILT ${name}_python)
endforeach()
