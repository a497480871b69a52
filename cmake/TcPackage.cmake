# tc_add_package(NAME FOLDER folder [TARGETS x86_64 aarch64] [FLAGS ...] [DEPENDS file ...] [NO_LOCAL])
#
# NAME.tcp, NAME.h and libNAME-local.so in the current binary folder, made by tc-package of the folder's sources, as described in
# tc-package(1); and a library NAME_package for target_link_libraries, which has the header's folder and the order of the build,
# and nothing to link. It is made again when a source, a header that one includes or the manifest has changed. FLAGS go to
# tc-clang, and those that do not begin with -- to the C compiler, too. DEPENDS: headers that are made by the build. NO_LOCAL:
# without the library.
#
# Set by the including project: the global properties TC_PACKAGE_PROGRAM and TC_PACKAGE_CLANG (programs or targets),
# TC_IFUNC_INCLUDE (where tc/entry.h is) and TC_IFUNC_TARGETS, for packages without TARGETS.
cmake_policy(VERSION 3.21)

# The command that starts a program that is a target or a path.
function(_tc_program_of out program)
  if(TARGET ${program})
    set(${out} $<TARGET_FILE:${program}> PARENT_SCOPE)
  else()
    set(${out} ${program} PARENT_SCOPE)
  endif()
endfunction()

function(tc_add_package name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_LOCAL" "FOLDER" "TARGETS;FLAGS;DEPENDS")
  get_property(package GLOBAL PROPERTY TC_PACKAGE_PROGRAM)
  get_property(clang GLOBAL PROPERTY TC_PACKAGE_CLANG)
  get_property(include GLOBAL PROPERTY TC_IFUNC_INCLUDE)
  if(NOT arg_FOLDER OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tc_add_package(${name}): expected FOLDER folder, found '${ARGN}'")
  endif()
  if(NOT clang OR NOT package)
    message(FATAL_ERROR "tc_add_package(${name}): no tc-package and tc-clang. The tools of Three-Chains are not installed (Debian: "
      "package tchains-tools), or were built without LLVM; TCHAINS_TC_CLANG may name a tc-clang with a tc-package beside it.")
  endif()
  cmake_path(ABSOLUTE_PATH arg_FOLDER OUTPUT_VARIABLE folder)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.tcp)
  set(made ${out} ${CMAKE_CURRENT_BINARY_DIR}/${name}.h)
  _tc_program_of(clang_path ${clang})
  set(command ${package} build ${folder} -o ${out} --name ${name} --header ${CMAKE_CURRENT_BINARY_DIR}/${name}.h
    --clang ${clang_path} --rules ${out}.d --quiet)
  if(arg_NO_LOCAL)
    list(APPEND command --no-local)
  else()
    set(local ${CMAKE_CURRENT_BINARY_DIR}/lib${name}-local.so)
    list(APPEND made ${local})
    list(APPEND command --local ${local} --cc ${CMAKE_C_COMPILER})
  endif()
  if(NOT arg_TARGETS)
    get_property(arg_TARGETS GLOBAL PROPERTY TC_IFUNC_TARGETS)
  endif()
  list(APPEND command -- -I${include} ${arg_FLAGS})
  if(arg_TARGETS)
    list(JOIN arg_TARGETS "," targets)
    list(APPEND command --targets=${targets})
  endif()
  # A source that is new in the folder is seen, too.
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/package.txt)
  add_custom_command(OUTPUT ${made} COMMAND ${command} DEPENDS ${package} ${clang} ${sources} ${arg_DEPENDS} DEPFILE ${out}.d
    COMMENT "package ${name}" VERBATIM)
  add_custom_target(package_${name} ALL DEPENDS ${made})
  add_library(${name}_package INTERFACE)
  target_include_directories(${name}_package INTERFACE ${CMAKE_CURRENT_BINARY_DIR})
  add_dependencies(${name}_package package_${name})
endfunction()
