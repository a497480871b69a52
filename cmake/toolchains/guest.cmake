# A cross build for the other of the two architectures. qemu runs its programs on this machine. Included by aarch64.cmake
# and x86_64.cmake, which set tc_guest; scripts/cross-aarch64.sh collects the files that both need.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${tc_guest})
set(CMAKE_C_COMPILER ${tc_guest}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${tc_guest}-linux-gnu)

set(TC_GUEST_ROOT / CACHE PATH "folder whose lib and usr/lib hold the run-time libraries of the guest architecture")
set(TC_HOST_BUILD "" CACHE PATH "a build for this machine itself, for its tools")
set(TC_GUEST_CPU "" CACHE STRING "the processor that qemu shows the tests, as for its -cpu; empty: qemu's own choice")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TC_GUEST_ROOT)

set(tc_guest_libdirs ${TC_GUEST_ROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}
  ${TC_GUEST_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
foreach(kind EXE SHARED MODULE)
  # The linker searches dependencies of the libraries there too.
  string(REPLACE ";" ":" libdirs "${tc_guest_libdirs}")
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -Wl,-rpath-link,${libdirs})
endforeach()

find_program(TC_QEMU NAMES qemu-${tc_guest} qemu-${tc_guest}-static REQUIRED DOC "package qemu-user")
set(CMAKE_CROSSCOMPILING_EMULATOR ${TC_QEMU} -L ${TC_GUEST_ROOT})
if(TC_GUEST_CPU)
  list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -cpu ${TC_GUEST_CPU})
endif()
