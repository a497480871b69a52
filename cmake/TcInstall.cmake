# Where everything goes, and the files by which other build systems find it. What is installed can be moved as a whole.
#
# Components: runtime (the library and its code engine), development (headers, static library, package files, manual pages of
# sections 3 and 7), tools (programs and their manual pages).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

# The folder of modules has the soname's number, so that libraries of several sonames can be installed at a time.
set(tc_module_folder tchains-${TC_SOVERSION})

# tc_install_module(target): what the library loads or starts by itself.
function(tc_install_module target)
  set(folder ${CMAKE_INSTALL_LIBDIR}/${tc_module_folder})
  install(TARGETS ${target} LIBRARY DESTINATION ${folder} COMPONENT runtime RUNTIME DESTINATION ${folder} COMPONENT runtime)
endfunction()

# Programs find the library from where they are. Libraries that are in no folder of the system are found where they were.
file(RELATIVE_PATH tc_lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(tc_tool_rpath $ORIGIN/${tc_lib_from_bin})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# Called when all targets are there.
function(tc_install_package)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tchains)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h")

  # For CMake: find_package(tchains).
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tchainsConfig.cmake.in tchainsConfig.cmake
    INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
  # Before 1.0 every minor version may change the API.
  write_basic_package_version_file(tchainsConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(EXPORT tchains NAMESPACE tchains:: FILE tchainsTargets.cmake DESTINATION ${package} COMPONENT development)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tchainsConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/tchainsConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/TcIfunc.cmake DESTINATION ${package} COMPONENT development)

  # For everything else: pkg-config.
  set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH prefix_from_pc ${pc_folder} ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH lib_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH include_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  file(RELATIVE_PATH bin_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_BINDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/tchains.pc.in tchains.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tchains.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

  # Manual pages: whatever the build has put into man/man1, man/man3 and man/man7.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools OPTIONAL)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/man3 ${PROJECT_BINARY_DIR}/man/man7 DESTINATION ${CMAKE_INSTALL_MANDIR}
    COMPONENT development OPTIONAL)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
endfunction()
