# The smallest library, for targets with little memory: with CMAKE_BUILD_TYPE=MinSizeRel, as in the preset `bare`.
# docs/decisions/small-library.md has the gain of each part, and the losses.
option(TC_SMALL "leave out the library's unwind tables, share pages of code and constants" OFF)
set(tc_small_code)
set(tc_small_link)
if(TC_SMALL)
  # No function of the library throws, catches or walks a stack.
  set(tc_small_code -fno-asynchronous-unwind-tables -fno-unwind-tables)
  # Code and constants share pages, which saves the unused ends of two.
  set(tc_small_link -Wl,-z,noseparate-code)
endif()

# In every build: otherwise each of its own public functions that the library calls takes an entry of three tables.
list(APPEND tc_small_link -Wl,-Bsymbolic-functions)

# In every build: code that runs once a function, once a peer, or when something fails.
include(CheckCCompilerFlag)
check_c_compiler_flag(-Oz TC_HAS_OZ) # smaller than -Os: gcc since 12, clang
set(tc_cold_code -Os)
if(TC_HAS_OZ)
  set(tc_cold_code -Oz)
endif()

# In every build: relocations take a twelfth of their bytes when they are packed, 24 KB less of the whole library. The loader of
# glibc reads packed ones since 2.36. A linker that cannot make them only warns.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs)
check_c_source_compiles("#include <features.h>
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 36)
#error older
#endif
int main(void) { return 0; }" TC_PACKED_RELOCATIONS FAIL_REGEX "pack-relative-relocs")
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(TC_PACKED_RELOCATIONS)
  list(APPEND tc_small_link -Wl,-z,pack-relative-relocs)
endif()
