# Writes OUT, a C source with the table of archive_dictionary.c, of the files ID-llvmMAJOR.dict in FOLDER. Their names begin
# with their ids, so sorted names are in the order of ids.
file(GLOB files ${FOLDER}/*.dict)
list(SORT files)
set(arrays)
set(rows)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  if(NOT name MATCHES "^([0-9a-f]+)-llvm([0-9]+)[.]dict$")
    message(FATAL_ERROR "${name}: expected a name like 0123abcd-llvm19.dict")
  endif()
  set(id ${CMAKE_MATCH_1})
  set(major ${CMAKE_MATCH_2})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes ${hex})
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes
    ${bytes})
  string(APPEND arrays "static const uint8_t dictionary_${id}[] = {\n${bytes}};\n")
  string(APPEND rows "    {0x${id}u, ${major}, dictionary_${id}, sizeof dictionary_${id}},\n")
endforeach()
list(LENGTH files count)
file(WRITE ${OUT} "#include \"archive_dictionary.h\"
${arrays}
extern const tci_dictionary_file tci_dictionary_files[];
extern const size_t tci_dictionary_file_count;
const tci_dictionary_file tci_dictionary_files[] = {
${rows}    {0, 0, NULL, 0},
};
const size_t tci_dictionary_file_count = ${count};
")
