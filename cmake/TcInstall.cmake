# Where everything goes, and the files by which other build systems find it. An installation can be moved as a whole.
#
# Components: runtime (the library and its code engine), development (headers, static library, package files, manual pages of
# sections 3 and 7), tools (programs and their manual pages), documentation (documents and examples).
option(TC_INSTALL_DOCS "install the documents and the sources of the examples" ON)
set(tc_docdir ${CMAKE_INSTALL_DOCDIR})
include(GNUInstallDirs)
# By the name that everything else is installed by.
if(NOT tc_docdir)
  set(CMAKE_INSTALL_DOCDIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/tchains)
endif()
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

# The folder of modules has the soname's number, so that libraries of several sonames can be installed at a time.
set(tc_module_folder tchains-${TC_SOVERSION})

# tc_installed(target ... FILES file ...): targets and made files that an installation takes. The target `installed` builds them
# all; an installation looks for each first, and begins only when all are there.
add_custom_target(installed)
function(tc_installed)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILES")
  foreach(target ${arg_UNPARSED_ARGUMENTS})
    add_dependencies(installed ${target})
    get_target_property(kind ${target} TYPE)
    if(NOT kind STREQUAL "UTILITY")
      set_property(GLOBAL APPEND PROPERTY TC_INSTALLED_FILES $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY TC_INSTALLED_FILES ${arg_FILES})
endfunction()

# tc_install_module(target): a module that the library loads or starts by itself.
function(tc_install_module target)
  set(folder ${CMAKE_INSTALL_LIBDIR}/${tc_module_folder})
  install(TARGETS ${target} LIBRARY DESTINATION ${folder} COMPONENT runtime RUNTIME DESTINATION ${folder} COMPONENT runtime)
  tc_installed(${target})
endfunction()

# tc_install_debugger_script(library): commands of gdb that know the library's records. The folder has the soname's number, as
# records differ. gdb finds the library's own file below share/gdb/auto-load of its own prefix, and beside the library in this build.
function(tc_install_debugger_script library)
  get_target_property(version ${library} VERSION)
  set(name lib${library}.so.${version}-gdb.py)
  set(tc_gdb_script ${PROJECT_SOURCE_DIR}/scripts/gdb/tchains.py)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/gdb-auto-load.py.in ${PROJECT_BINARY_DIR}/lib/${name} @ONLY)
  set(folder ${CMAKE_INSTALL_DATADIR}/${tc_module_folder})
  file(RELATIVE_PATH tc_gdb_script ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_PREFIX}/${folder}/tchains.py)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/gdb-auto-load.py.in ${CMAKE_CURRENT_BINARY_DIR}/to-install/${name} @ONLY)
  install(FILES ${PROJECT_SOURCE_DIR}/scripts/gdb/tchains.py DESTINATION ${folder} COMPONENT runtime)
  # The library's folder, by the prefix of the installation: `cmake --install` may be given another one.
  set(library_folder ${CMAKE_INSTALL_LIBDIR})
  if(NOT IS_ABSOLUTE ${library_folder})
    set(library_folder "\${CMAKE_INSTALL_PREFIX}/${library_folder}")
  endif()
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/to-install/${name} COMPONENT runtime
    DESTINATION ${CMAKE_INSTALL_DATADIR}/gdb/auto-load${library_folder})
endfunction()

# tc_add_module(target LIBS ... SOURCES a.c ...): a module of the library's. It has copies of its own of the base files that
# every module uses, and exports the names in the file module.map beside its sources: so nothing in it can be mixed up with
# the library's.
function(tc_add_module target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS;SOURCES")
  set(map ${CMAKE_CURRENT_SOURCE_DIR}/module.map)
  add_library(${target} MODULE ${arg_SOURCES}
    ${PROJECT_SOURCE_DIR}/runtime/base/error_text.c ${PROJECT_SOURCE_DIR}/runtime/base/printable.c)
  target_link_libraries(${target} PRIVATE tc_flags ${arg_LIBS} Threads::Threads)
  target_link_options(${target} PRIVATE -Wl,--version-script=${map})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${map})
  tc_install_module(${target})
endfunction()

# Programs find the library from where they are. Libraries that are in no folder of the system are found where they were.
file(RELATIVE_PATH tc_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(tc_tool_rpath $ORIGIN/${tc_lib_from_bin})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# The target `uninstall` removes the files of the last installation. The first step of an installation writes down which
# folders are there already: they stay, also when they are empty afterwards.
set(shared_folders ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/cmake ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
  ${CMAKE_INSTALL_FULL_INCLUDEDIR} ${CMAKE_INSTALL_FULL_DATADIR}/gdb/auto-load ${CMAKE_INSTALL_FULL_DATADIR}/bash-completion/completions
  ${CMAKE_INSTALL_FULL_DATADIR}/zsh/site-functions ${CMAKE_INSTALL_FULL_DATADIR}/doc ${CMAKE_INSTALL_FULL_MANDIR}/man1
  ${CMAKE_INSTALL_FULL_MANDIR}/man3 ${CMAKE_INSTALL_FULL_MANDIR}/man7)
set(shared_below_prefix)
foreach(folder ${shared_folders})
  file(RELATIVE_PATH folder ${CMAKE_INSTALL_PREFIX} ${folder})
  list(APPEND shared_below_prefix ${folder})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/TcFoldersBefore.cmake.in TcFoldersBefore.cmake @ONLY)
install(SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/TcFoldersBefore.cmake ALL_COMPONENTS)
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D build=${PROJECT_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/TcUninstall.cmake
  COMMENT "taking away what install_manifest.txt lists" VERBATIM USES_TERMINAL)

# Called when all targets are there.
function(tc_install_package)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tchains)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

  # Programs in a simulated world link with these options.
  get_property(tc_sim_wraps GLOBAL PROPERTY TC_SIM_WRAPS)
  list(JOIN tc_sim_wraps " " tc_sim_wrap_words)

  # For CMake: find_package(tchains). It also searches beside each folder of PATH, and the build's own programs may be in PATH:
  # in a folder of this name it does not look, and finds the installation alone.
  set(config ${CMAKE_CURRENT_BINARY_DIR}/to-install)
  file(REMOVE ${CMAKE_CURRENT_BINARY_DIR}/tchainsConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tchainsConfigVersion.cmake)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tchainsConfig.cmake.in ${config}/tchainsConfig.cmake
    INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
  # Before 1.0 every minor version may change the API.
  write_basic_package_version_file(${config}/tchainsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(EXPORT tchains NAMESPACE tchains:: FILE tchainsTargets.cmake DESTINATION ${package} COMPONENT development)
  install(FILES ${config}/tchainsConfig.cmake ${config}/tchainsConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/TcIfunc.cmake ${PROJECT_SOURCE_DIR}/cmake/TcPackage.cmake DESTINATION ${package} COMPONENT development)

  # For everything else: pkg-config.
  set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH prefix_from_pc ${pc_folder} ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
  file(RELATIVE_PATH lib_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH include_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  file(RELATIVE_PATH bin_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_BINDIR})
  set(packages tchains tchains-am tchains-objects tchains-sim tchains-steady)
  set(ucx_package)
  if(tc_ucx)
    list(APPEND packages tchains-compat)
    set(ucx_package "ucx ")
  endif()
  foreach(name ${packages})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  endforeach()

  get_property(mpis GLOBAL PROPERTY TC_MPIS)
  foreach(mpi ${mpis})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/tchains-mpi.pc.in tchains-mpi-${mpi}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tchains-mpi-${mpi}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
  endforeach()

  # Manual pages: whatever the build has put into man/man1, man/man3 and man/man7.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools OPTIONAL
    PATTERN tc-rustc.1 EXCLUDE)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man3 ${PROJECT_BINARY_DIR}/man/man7 DESTINATION ${CMAKE_INSTALL_MANDIR}
    COMPONENT development OPTIONAL)
  # For Julia: a folder of packages.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/julia DESTINATION ${CMAKE_INSTALL_DATADIR}/tchains COMPONENT development)
  # For Fortran: sources that others include.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/fortran DESTINATION ${CMAKE_INSTALL_DATADIR}/tchains COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

  # The crates as they are, which cargo takes by their path, and tc-rustc, which finds them from where it is.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/rust DESTINATION ${CMAKE_INSTALL_DATADIR}/tchains COMPONENT rust
    USE_SOURCE_PERMISSIONS PATTERN rustfmt.toml EXCLUDE PATTERN target EXCLUDE PATTERN Cargo.lock EXCLUDE)
  if(TC_WITH_LLVM)
    file(RELATIVE_PATH from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_DATADIR}/tchains/rust/tc-rustc)
    file(CREATE_LINK ${from_bin} ${CMAKE_CURRENT_BINARY_DIR}/tc-rustc SYMBOLIC)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tc-rustc DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT rust)
    install(FILES ${PROJECT_BINARY_DIR}/man/man1/tc-rustc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT rust OPTIONAL)
  endif()
  # As they lie in the tree, so that links between them lead somewhere.
  if(TC_INSTALL_DOCS)
    install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
      ${PROJECT_SOURCE_DIR}/SECURITY.md ${PROJECT_SOURCE_DIR}/CODE_OF_CONDUCT.md
      DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
      FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN *.json PATTERN *.3.md EXCLUDE PATTERN site EXCLUDE)
    install(FILES ${tc_made_manuals} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs/man COMPONENT documentation)
    # Sources of all languages; files named by .gitignore are not sources.
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
      USE_SOURCE_PERMISSIONS PATTERN *.tca EXCLUDE PATTERN *.deps EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN .* EXCLUDE)
  endif()
  get_property(files GLOBAL PROPERTY TC_INSTALLED_FILES)
  list(JOIN files "\n" lines)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/installed_files.txt CONTENT "${lines}\n")
endfunction()
