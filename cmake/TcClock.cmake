# Files from the future: Ninja configures a hundred times and gives up, and make builds some files each time. The time of a new
# file counts; CMake's own may be that of SOURCE_DATE_EPOCH.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/now.txt "")
if(${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt IS_NEWER_THAN ${CMAKE_CURRENT_BINARY_DIR}/now.txt)
  file(TIMESTAMP ${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt then)
  file(TIMESTAMP ${CMAKE_CURRENT_BINARY_DIR}/now.txt now)
  set(kind WARNING)
  if(CMAKE_GENERATOR MATCHES Ninja)
    set(kind FATAL_ERROR)
  endif()
  message(${kind} "CMakeLists.txt is of ${then}, and this machine's clock says ${now}: what was built cannot be told from what is "
    "to be built. Set the clock, or make the files older: find . -newermt now -exec touch {} +")
endif()
