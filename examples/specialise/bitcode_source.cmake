# Writes a C source with the bytes of bitcode files, as filter_bitcode.h declares them:
#   cmake -D OUT=FILE.c -P bitcode_source.cmake TRIPLE=FILE.bc ...
set(arrays)
set(slices)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 3 ${last})
  if(NOT CMAKE_ARGV${i} MATCHES "^([a-z0-9_-]+)=(.+[.]bc)$")
    continue()
  endif()
  set(triple ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char code${i}[] = {${bytes}};\n")
  string(APPEND slices "    {\"${triple}\", code${i}, sizeof code${i}},\n")
endforeach()
file(WRITE ${OUT} "#include \"filter_bitcode.h\"\n\n${arrays}
const tc_bitcode filter_slices[FILTER_SLICES] = {\n${slices}};\n")
