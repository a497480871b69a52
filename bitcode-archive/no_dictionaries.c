/* A library without dictionaries: it refuses archives that are packed with one, and peers learn
 * from its HELLO that it has none. */
#include "archive_dictionary.h"

extern const tci_dictionary_file tci_dictionary_files[];
extern const size_t tci_dictionary_file_count;
const tci_dictionary_file tci_dictionary_files[] = {{0, 0, NULL, 0}};
const size_t tci_dictionary_file_count = 0;
