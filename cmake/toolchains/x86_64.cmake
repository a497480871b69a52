# Made on an aarch64 machine, for x86_64.
set(tc_guest x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/guest.cmake)
