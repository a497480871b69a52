# Completions for bash and zsh: each program writes them from its table of options. Included when all programs are
# known.
set(TC_BASH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/bash-completion/completions CACHE STRING "where bash looks for completions")
set(TC_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "where zsh does; Debian's: share/zsh/vendor-completions")
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "completions of shells are not made: nothing runs the programs of a cross build here")
  return()
endif()
set(folder ${PROJECT_BINARY_DIR}/completions)
file(MAKE_DIRECTORY ${folder})
set(scripts)
foreach(program tc-ar tc-clang tc-info tc-node tc-package tc-perf tc-ping tc-run tc-send)
  if(NOT TARGET ${program})
    continue()
  endif()
  foreach(shell bash zsh)
    set(script ${folder}/${program}.${shell})
    add_custom_command(OUTPUT ${script}
      # As tests run the programs: a sanitizer and UCX's hooks on mmap do not go together.
      COMMAND ${CMAKE_COMMAND} -E env UCX_MEM_MMAP_HOOK_MODE=none sh -c "script=$1 shell=$2; shift 2; exec \"$@\" --completion $shell >\"$script\"" sh ${script} ${shell}
        ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}>
      DEPENDS ${program} COMMENT "completion of ${program} for ${shell}" VERBATIM)
    list(APPEND scripts ${script})
  endforeach()
  install(FILES ${folder}/${program}.bash DESTINATION ${TC_BASH_COMPLETIONS} RENAME ${program} COMPONENT tools)
  install(FILES ${folder}/${program}.zsh DESTINATION ${TC_ZSH_COMPLETIONS} RENAME _${program} COMPONENT tools)
endforeach()
add_custom_target(completions ALL DEPENDS ${scripts})
tc_installed(completions FILES ${scripts})
