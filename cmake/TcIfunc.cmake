# tc_add_ifunc(NAME SOURCES a.c ... [TARGETS x86_64 aarch64] [LIBS foo ...] [USES library ...] [FLAGS ...] [DEPENDS file ...]
#   [EMBED] [LIBRARY])
#
# NAME.tca (and with LIBS or USES NAME.deps) in the current binary folder, built by tc-clang; and a target ifunc_NAME, on which
# whatever needs the file depends. It is built again when a source or any header that one includes has changed. SOURCES may be
# generated files, by absolute path. TARGETS: for which architectures; both without it. LIBS: libraries that the target loads
# first, as foo or -lfoo; -Lfolder is searched for them. USES: libraries that travel (<tc/library.h>). LIBRARY: it is one
# itself. FLAGS go to tc-clang as they are. DEPENDS: its other inputs, and headers that are made by the build. EMBED: also a
# library NAME_tca, for target_link_libraries: the program then has the archive in itself, as `extern const tc_embedded
# NAME_tca;`, for tc_ifunc_open_embedded.
#
# tc_add_foreign_ifunc(NAME BITCODE a.bc ... [DEPS file] [FLAGS ...] [EMBED])
#
# The same from LLVM bitcode of any language, one file per architecture, made by commands of the project: packed by
# `tc-ar create` with the options FLAGS. DEPS: the libraries that it needs, one per line.
#
# tc_add_stubs(NAME HEADER header.h FUNCTIONS f ... SOURCES a.c ... [TARGETS ...] [LIBS ...] [FLAGS ...] [DEPENDS file ...])
#
# Of a header with remote functions (<tc/remote.h>): header_calls.h, .hpp, .py and .rs in the current binary folder, by
# `tc-clang --stubs`; for each of FUNCTIONS its archive, by tc_add_ifunc of SOURCES and the function's entry; and a library
# NAME_stubs for target_link_libraries, which has the folders of the headers and the order of the build. FUNCTIONS are all that
# the header declares as TC_REMOTE. FLAGS go to tc-clang, for both. DEPENDS: headers that the header includes.
#
# Set by the including project: the global properties TC_IFUNC_CLANG and TC_IFUNC_AR (programs or targets) and
# TC_IFUNC_INCLUDE (where tc/entry.h is); also TC_IFUNC_TARGETS, for functions without TARGETS.

# Files that tc-clang writes about headers are read as this version does (CMP0116), whatever the project asks for.
cmake_policy(VERSION 3.21)

# The library of tc_add_ifunc(... EMBED).
function(_tc_embed_ifunc name archive include)
  get_property(ar GLOBAL PROPERTY TC_IFUNC_AR)
  if(NOT ar)
    message(FATAL_ERROR "tc_add_ifunc(${name} ... EMBED): no tc-ar; it is installed beside tc-clang")
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_tca.c)
  add_custom_command(OUTPUT ${source} COMMAND ${ar} embed ${archive} -o ${source} DEPENDS ${ar} ${archive}
    COMMENT "ifunc ${name} as a source" VERBATIM)
  add_library(${name}_tca OBJECT ${source})
  target_include_directories(${name}_tca PRIVATE ${include})
  set_target_properties(${name}_tca PROPERTIES POSITION_INDEPENDENT_CODE ON)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    set_source_files_properties(${source} PROPERTIES LANGUAGE CXX)
  endif()
  add_dependencies(${name}_tca ifunc_${name})
endfunction()

function(tc_add_ifunc name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EMBED;LIBRARY" "" "SOURCES;TARGETS;LIBS;USES;FLAGS;DEPENDS")
  get_property(clang GLOBAL PROPERTY TC_IFUNC_CLANG)
  get_property(include GLOBAL PROPERTY TC_IFUNC_INCLUDE)
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tc_add_ifunc(${name}): expected SOURCES a.c ..., found '${ARGN}'")
  endif()
  if(NOT clang)
    message(FATAL_ERROR "tc_add_ifunc(${name}): no tc-clang. The tools of Three-Chains are not installed (Debian: package "
      "tchains-tools), or were built without LLVM; TCHAINS_TC_CLANG may name one.")
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.tca)
  set(command ${clang})
  set(sources)
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    list(APPEND sources ${path})
  endforeach()
  list(APPEND command ${sources} -o ${out} -MD -MF ${out}.d -I${include} ${arg_FLAGS})
  if(NOT arg_TARGETS)
    get_property(arg_TARGETS GLOBAL PROPERTY TC_IFUNC_TARGETS)
  endif()
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "," targets)
    list(APPEND command --targets=${targets})
  endif()
  set(deps)
  if(arg_LIBRARY)
    list(APPEND command --library)
  endif()
  if(arg_LIBS OR arg_USES)
    list(TRANSFORM arg_LIBS PREPEND -l REGEX "^[^-]")
    list(TRANSFORM arg_USES PREPEND --uses=)
    list(APPEND command ${arg_LIBS} ${arg_USES})
    set(deps BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.deps)
  endif()
  add_custom_command(OUTPUT ${out} ${deps} COMMAND ${command} DEPENDS ${clang} ${sources} ${arg_DEPENDS} DEPFILE ${out}.d
    COMMENT "ifunc ${name}" VERBATIM)
  add_custom_target(ifunc_${name} ALL DEPENDS ${out})
  if(arg_EMBED)
    _tc_embed_ifunc(${name} ${out} ${include})
  endif()
endfunction()

function(tc_add_foreign_ifunc name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EMBED" "DEPS" "BITCODE;FLAGS")
  get_property(ar GLOBAL PROPERTY TC_IFUNC_AR)
  get_property(include GLOBAL PROPERTY TC_IFUNC_INCLUDE)
  if(NOT arg_BITCODE OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tc_add_foreign_ifunc(${name}): expected BITCODE a.bc ..., found '${ARGN}'")
  endif()
  if(NOT ar)
    message(FATAL_ERROR "tc_add_foreign_ifunc(${name}): no tc-ar; it is installed beside tc-clang")
  endif()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.tca)
  set(files)
  foreach(file ${arg_BITCODE})
    cmake_path(ABSOLUTE_PATH file)
    list(APPEND files ${file})
  endforeach()
  set(command ${ar} create ${name} ${files} -o ${out} ${arg_FLAGS})
  set(deps)
  if(arg_DEPS)
    cmake_path(ABSOLUTE_PATH arg_DEPS)
    list(APPEND command --deps ${arg_DEPS})
    set(deps BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/${name}.deps)
  endif()
  add_custom_command(OUTPUT ${out} ${deps} COMMAND ${command} DEPENDS ${ar} ${files} ${arg_DEPS}
    COMMENT "ifunc ${name} of bitcode" VERBATIM)
  add_custom_target(ifunc_${name} ALL DEPENDS ${out})
  if(arg_EMBED)
    _tc_embed_ifunc(${name} ${out} ${include})
  endif()
endfunction()

function(tc_add_stubs name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADER" "FUNCTIONS;SOURCES;TARGETS;LIBS;FLAGS;DEPENDS")
  get_property(clang GLOBAL PROPERTY TC_IFUNC_CLANG)
  get_property(include GLOBAL PROPERTY TC_IFUNC_INCLUDE)
  if(NOT arg_HEADER OR NOT arg_FUNCTIONS OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tc_add_stubs(${name}): expected HEADER header.h FUNCTIONS f ... SOURCES a.c ..., found '${ARGN}'")
  endif()
  cmake_path(ABSOLUTE_PATH arg_HEADER OUTPUT_VARIABLE header)
  cmake_path(GET header STEM stem)
  cmake_path(GET header PARENT_PATH folder)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${stem}_calls.h ${CMAKE_CURRENT_BINARY_DIR}/${stem}_calls.hpp
    ${CMAKE_CURRENT_BINARY_DIR}/${stem}_calls.py ${CMAKE_CURRENT_BINARY_DIR}/${stem}_calls.rs
    ${CMAKE_CURRENT_BINARY_DIR}/${stem}_calls.jl)
  list(TRANSFORM arg_FUNCTIONS REPLACE "(.+)" "${CMAKE_CURRENT_BINARY_DIR}/\\1_entry.c" OUTPUT_VARIABLE entries)
  add_custom_command(OUTPUT ${made} ${entries}
    COMMAND ${clang} --stubs=${CMAKE_CURRENT_BINARY_DIR} ${header} -I${include} ${arg_FLAGS}
    DEPENDS ${clang} ${header} ${arg_DEPENDS} COMMENT "stubs of ${stem}.h" VERBATIM)
  add_custom_target(stubs_${name} ALL DEPENDS ${made} ${entries})
  foreach(function ${arg_FUNCTIONS})
    tc_add_ifunc(${function} SOURCES ${arg_SOURCES} ${CMAKE_CURRENT_BINARY_DIR}/${function}_entry.c TARGETS ${arg_TARGETS}
      LIBS ${arg_LIBS} FLAGS -I${folder} ${arg_FLAGS})
    add_dependencies(ifunc_${function} stubs_${name})
  endforeach()
  add_library(${name}_stubs INTERFACE)
  target_include_directories(${name}_stubs INTERFACE ${CMAKE_CURRENT_BINARY_DIR} ${folder})
  add_dependencies(${name}_stubs stubs_${name})
endfunction()
