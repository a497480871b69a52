/* Data that writers and readers of archives know in advance: the parts that bitcode of one LLVM
 * always has. docs/archive-format.md, chapter "Dictionaries", is the specification.
 *
 * Dictionaries are files of dictionaries/, part of the library, in ascending order of their
 * ids. Thread-safe; data derived from one on first use stays for the life of the process. */
#ifndef TCI_ARCHIVE_DICTIONARY_H
#define TCI_ARCHIVE_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* The number that a hello can name. Peers' dictionaries are kept as bits of one word. */
#define TCI_DICTIONARIES_MAX 15u

#define TCI_DICTIONARY_NONE SIZE_MAX

/* Head of a dictionary file: the number of bytes of zstd's own tables, two bytes. The tables
 * follow, then the content, four units to a byte. */
#define TCI_DICTIONARY_HEAD_SIZE 2u

/* Row of the table that the build generates. */
typedef struct tci_dictionary_file {
    uint32_t id;
    unsigned llvm_major;
    const uint8_t *bytes;
    size_t size;
} tci_dictionary_file;

size_t tci_dictionary_count(void);
const tci_dictionary_file *tci_dictionary_at(size_t index);
/* Returns TCI_DICTIONARY_NONE when this library has no dictionary of that id. */
size_t tci_dictionary_find(uint32_t id);

/* Returns the first four bytes of the file's BLAKE2b-128, as a little-endian number. */
uint32_t tci_dictionary_id_of(const void *bytes, size_t size);

/* Returns a dictionary in zstd's form, for free(): tables, then a byte for each unit.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_dictionary_expand(size_t index, uint8_t **bytes_out,
                                              size_t *size_out, tc_error *err);

/* Returns zstd's unpacking state of a dictionary, made on first use; NULL: no memory. */
const struct ZSTD_DDict_s *tci_dictionary_unpacker(size_t index);

#endif
