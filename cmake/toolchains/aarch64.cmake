# Made on an x86_64 machine, for aarch64.
set(tc_guest aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/guest.cmake)
