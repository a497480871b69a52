/* One file of the object cache, as bytes: the object, everything that it depends on, and a
 * checksum over all of it (docs/object-cache.md has the layout).
 *
 * A damaged object often links without complaint and then runs: no later step would notice.
 * Hence the checksum covers every byte, and a decoded entry is compared with the requested key,
 * field by field. The checksum is against accidents; a program that may write to the folder may
 * run code as its user anyway. */
#ifndef TCI_CACHE_ENTRY_H
#define TCI_CACHE_ENTRY_H

#include "base/content_id.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_CACHE_ENTRY_VERSION 1u

/* With header, texts and checksum. A larger file is not read at all. */
#define TCI_CACHE_ENTRY_BYTES_MAX (64u << 20)

/* Bytes of each of cpu, features, llvm and the function's name, without terminator. */
#define TCI_CACHE_TEXT_MAX 16383u

#define TCI_CACHE_FILE_NAME 37 /* 32 hex digits, ".tco" and the terminator */

/* In a process that runs signed code alone, only a program with the user's key can make the
 * checksum (cache_seal.h), for code of this digest. */
typedef struct tci_object_seal {
    bool wanted;
    uint8_t content[32];
} tci_object_seal;

/* Everything that an object depends on. */
typedef struct tci_object_key {
    tci_content_id id;    /* of the archive and its dependencies */
    const char *cpu;      /* as LLVM names it */
    const char *features; /* likewise */
    const char *llvm;     /* of the compiler, "19.1.7" */
    uint32_t level;       /* tci_code_level: how it was compiled */
    uint32_t slice;       /* index of the archive's slice */
    uint32_t abi;         /* TCI_ENGINE_ABI */
    tci_object_seal seal;
} tci_object_key;

/* Decoded: views of the bytes, texts terminated. */
typedef struct tci_cache_entry {
    tci_object_key key;
    const char *name; /* the function's, for people; not part of the key */
    const void *object;
    size_t object_bytes;
} tci_cache_entry;

bool tci_cache_entry_key_equal(const tci_object_key *a, const tci_object_key *b);

/* Writes the name of the file for the object of this key: a hash of every field. */
void tci_cache_entry_file_name(const tci_object_key *key, char name_out[TCI_CACHE_FILE_NAME]);

/* Returns the bytes of the encoded entry; 0 when a text or the whole is above its limit, or the
 * object is empty. */
size_t tci_cache_entry_bytes(const tci_cache_entry *entry);

/* `size` is the result of tci_cache_entry_bytes. */
void tci_cache_entry_encode(const tci_cache_entry *entry, void *bytes_out, size_t size);

/* Decodes bytes from outside. The magic or the checksum covers every byte, so no changed or
 * truncated entry decodes. With `wanted` NULL, sealed entries are read without a check of their
 * checksum, for a list. TC_E_CORRUPT, TC_E_VERSION; err may be NULL. */
TC_MUST_CHECK tc_status tci_cache_entry_decode(const void *bytes, size_t size,
                                               const tci_object_key *wanted,
                                               tci_cache_entry *entry_out, tc_error *err);

/* Returns whether a file with this beginning is of this code. */
#define TCI_CACHE_ENTRY_HEAD_BYTES 40u
bool tci_cache_entry_head_has(const uint8_t head[TCI_CACHE_ENTRY_HEAD_BYTES],
                              const tci_content_id *id);

#endif
