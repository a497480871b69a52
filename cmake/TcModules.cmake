# The optional parts of the library: runtime/core/module.h. TC_MODULES names those that are built.
set(TC_MODULES all CACHE STRING "optional parts of the library to build: all, or a list of names; runtime/modules has one folder for each")
# The library of UCX, to link with. Empty without the module of that name: then CMake looks for no UCX, and leaves out all that links it.
set(tc_ucx)
if(TC_MODULES STREQUAL "all" OR "ucx" IN_LIST TC_MODULES)
  set(tc_ucx PkgConfig::ucx)
endif()
# The smallest library has neither the option nor the calls of this module: runtime/core/usage_ops.h.
if(NOT TC_MODULES STREQUAL "all" AND NOT "usage" IN_LIST TC_MODULES)
  target_compile_definitions(tc_flags INTERFACE TCI_WITHOUT_USAGE)
endif()
set(tc_module_names "" CACHE INTERNAL "all modules")
set(tc_modules "" CACHE INTERNAL "the modules that are built, but for plain ones")
set(tc_without "" CACHE INTERNAL "their files of WITHOUT")

# tc_module(NAME [PLAIN] [TARGET target] [NEEDS module...] [WITHOUT file] SOURCES a.c ...): a module and its sources, which become
# the library's where TC_MODULES names it; otherwise the file of WITHOUT does, in which the module's public functions return
# TC_E_UNSUPPORTED. NEEDS: modules whose functions it calls by name. PLAIN: it attaches to nothing, and has no tci_NAME_module.
# TARGET: the objects that it becomes part of, tc_objects if that is not given.
function(tc_module name)
  cmake_parse_arguments(arg "PLAIN" "TARGET;WITHOUT" "NEEDS;SOURCES" ${ARGN})
  set(target tc_objects)
  if(arg_TARGET)
    set(target ${arg_TARGET})
  endif()
  set(tc_module_names ${tc_module_names} ${name} CACHE INTERNAL "all modules")
  if(NOT TC_MODULES STREQUAL "all" AND NOT name IN_LIST TC_MODULES)
    target_sources(${target} PRIVATE ${arg_WITHOUT})
    return()
  endif()
  foreach(needed IN LISTS arg_NEEDS)
    if(NOT TC_MODULES STREQUAL "all" AND NOT needed IN_LIST TC_MODULES)
      message(FATAL_ERROR "TC_MODULES: the module \"${name}\" needs the module \"${needed}\"")
    endif()
  endforeach()
  target_sources(${target} PRIVATE ${arg_SOURCES})
  if(NOT arg_PLAIN)
    set(tc_modules ${tc_modules} ${name} CACHE INTERNAL "the modules that are built")
  endif()
  if(arg_WITHOUT)
    cmake_path(ABSOLUTE_PATH arg_WITHOUT)
    set(tc_without ${tc_without} ${arg_WITHOUT} CACHE INTERNAL "their files of WITHOUT")
  endif()
endfunction()

# tc_modules_built(): after the last tc_module, writes the list for runtime/context/modules.c.
function(tc_modules_built)
  foreach(name IN LISTS TC_MODULES)
    if(NOT name STREQUAL "all" AND NOT name IN_LIST tc_module_names)
      message(FATAL_ERROR "TC_MODULES: there is no module \"${name}\"")
    endif()
  endforeach()
  list(TRANSFORM tc_modules REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE list)
  list(JOIN list " " list)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/modules_built.h CONTENT
    "/* Made by CMake from TC_MODULES. */\n#define TCI_MODULES_BUILT(X) ${list}\n" @ONLY)
  set_source_files_properties(context/modules.c PROPERTIES
    COMPILE_DEFINITIONS "TCI_MODULES_FILE=\"${PROJECT_BINARY_DIR}/generated/modules_built.h\"")
endfunction()
