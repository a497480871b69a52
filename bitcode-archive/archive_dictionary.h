/* What writers and readers of archives know in advance: the parts that bitcode of one LLVM
 * always has. docs/archive-format.md, chapter "Dictionaries", is the specification.
 *
 * They are files of dictionaries/, part of the library, in ascending order of their ids.
 * Thread-safe; what is made of one on first use stays for the life of the process. */
#ifndef TCI_ARCHIVE_DICTIONARY_H
#define TCI_ARCHIVE_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* As many as a hello can name. Peers' dictionaries are kept as bits of one word. */
#define TCI_DICTIONARIES_MAX 16u

#define TCI_DICTIONARY_NONE SIZE_MAX

/* How a file begins: the number of bytes of zstd's own tables, two bytes. Behind them comes
 * content, four units to a byte. */
#define TCI_DICTIONARY_HEAD_SIZE 2u

/* Of the build's generated table. */
typedef struct tci_dictionary_file {
    uint32_t id;
    unsigned llvm_major;
    const uint8_t *bytes;
    size_t size;
} tci_dictionary_file;

size_t tci_dictionary_count(void);
const tci_dictionary_file *tci_dictionary_at(size_t index);
/* TCI_DICTIONARY_NONE when this library has none of that id. */
size_t tci_dictionary_find(uint32_t id);

/* The first four bytes of the file's BLAKE2b-128, as a little-endian number. */
uint32_t tci_dictionary_id_of(const void *bytes, size_t size);

/* One as zstd takes it, for free(): tables, then a byte for each unit. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_dictionary_expand(size_t index, uint8_t **bytes_out,
                                              size_t *size_out, tc_error *err);

/* zstd's unpacking state of one, made on first use; NULL: no memory. */
const struct ZSTD_DDict_s *tci_dictionary_unpacker(size_t index);

#endif
