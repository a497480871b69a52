# The libraries that the project stands on, each as one imported target. A missing dependency is named by the package that
# has it.
find_package(PkgConfig REQUIRED)

function(tc_missing what found package)
  message(FATAL_ERROR "Three-Chains needs ${what}; found: ${found}. Install it (Debian and Ubuntu: apt install ${package}; all "
    "that is missing: scripts/install-deps.sh), or if it is in a folder of its own, name that folder's pkgconfig in "
    "PKG_CONFIG_PATH.")
endfunction()

# tc_find_library(NAME module package soname...): the library of that pkg-config module as PkgConfig::NAME. A cross build takes
# this machine's headers, in which architectures do not differ, and the guest's libraries by the names that they have at run
# time: the -dev packages of a guest would replace this machine's.
function(tc_find_library name module package)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${name}_FOUND)
    string(REGEX MATCH "^[a-z]+" any_version ${module})
    pkg_check_modules(${name}_other QUIET ${any_version})
    set(found nothing)
    if(${name}_other_FOUND)
      set(found "${any_version} ${${name}_other_VERSION}")
    endif()
    tc_missing(${module} ${found} ${package})
  endif()
  if(CMAKE_CROSSCOMPILING)
    set(libraries)
    foreach(soname ${ARGN})
      find_file(TC_GUEST_${soname} NAMES ${soname} PATHS ${tc_guest_libdirs} NO_DEFAULT_PATH REQUIRED
        DOC "of the guest architecture; scripts/cross-aarch64.sh installs it")
      list(APPEND libraries ${TC_GUEST_${soname}})
    endforeach()
    set_target_properties(PkgConfig::${name} PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}"
      INTERFACE_LINK_DIRECTORIES "")
  endif()
endfunction()

# For packages that hold all that they need, as the wheel of scripts/wheel.sh.
option(TC_SELF_CONTAINED "link zstd, libsodium, LLVM and its C++ library from their archives, so that the library needs the C library alone" OFF)

# tc_take_archive(NAME file): in a self-contained build, PkgConfig::NAME is that archive.
function(tc_take_archive name file)
  if(NOT TC_SELF_CONTAINED)
    return()
  endif()
  find_library(TC_ARCHIVE_${file} NAMES ${file} REQUIRED DOC "an archive, for TC_SELF_CONTAINED")
  set_target_properties(PkgConfig::${name} PROPERTIES INTERFACE_LINK_LIBRARIES ${TC_ARCHIVE_${file}})
endfunction()

# Manual pages are made by it, and the checks are written in it.
find_program(TC_PYTHON NAMES python3 DOC "package python3")
if(NOT TC_PYTHON)
  tc_missing(python3 nothing python3)
endif()
# A version manager's python3 is a script that searches for the interpreter, which takes longer than Python's own start.
execute_process(COMMAND ${TC_PYTHON} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE tc_python_itself
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(EXISTS "${tc_python_itself}")
  set(TC_PYTHON ${tc_python_itself})
endif()
if(tc_ucx)
  tc_find_library(ucx ucx>=1.13 libucx-dev libucp.so.0 libuct.so.0 libucs.so.0)
endif()
tc_find_library(zstd libzstd libzstd-dev libzstd.so.1)
tc_find_library(sodium libsodium libsodium-dev libsodium.so.23)
tc_find_library(jansson jansson libjansson-dev libjansson.so.4)
tc_take_archive(zstd libzstd.a)
tc_take_archive(sodium libsodium.a)
tc_take_archive(jansson libjansson.a)
find_package(Threads REQUIRED)
# For processes that mpirun, prterun or Slurm start; without it those report the missing package.
option(TC_WITH_PMIX "build the PMIx module when libpmix is found" ON)
if(TC_WITH_PMIX AND NOT CMAKE_CROSSCOMPILING)
  pkg_check_modules(pmix QUIET IMPORTED_TARGET GLOBAL pmix>=4)
endif()

# For authenticated connections; without it programs that request them report the missing package.
option(TC_WITH_TLS "build the TLS module when OpenSSL is found" ON)
if(TC_WITH_TLS AND NOT CMAKE_CROSSCOMPILING)
  pkg_check_modules(openssl QUIET IMPORTED_TARGET GLOBAL openssl>=3)
endif()

if(TC_WITH_LLVM)
  tc_find_library(elf libelf libelf-dev libelf.so.1)
  include(TcLlvm)
endif()

if(TC_BUILD_TESTS)
  tc_find_library(cmocka cmocka libcmocka-dev libcmocka.so.0)
endif()
