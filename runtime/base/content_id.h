/* The id of code: the first 128 bits of its BLAKE2b hash (RFC 7693, digest length 16).
 *
 * The id covers the archive's bytes and the text of its dependency list, each preceded by its
 * length as a 64-bit little-endian number, so no two different pairs share an input to the
 * hash. */
#ifndef TCI_CONTENT_ID_H
#define TCI_CONTENT_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct tci_content_id {
    uint8_t bytes[16];
} tci_content_id;

#define TCI_CONTENT_ID_TEXT 33 /* 32 hex digits and the terminator */

void tci_content_id_of(const void *archive, size_t archive_size, const void *deps,
                       size_t deps_size, tci_content_id *id_out);

/* Plain BLAKE2b-128 of one byte range. */
void tci_hash128(const void *bytes, size_t size, uint8_t out[16]);

/* BLAKE2b-256, for checksums that have to stand alone. */
void tci_hash256(const void *bytes, size_t size, uint8_t out[32]);

/* BLAKE2b-256 of a tag and of two byte ranges, each behind its length: the message that is
 * signed. */
void tci_hash256_pair(const char *tag, const void *first, size_t first_size, const void *second,
                      size_t second_size, uint8_t out[32]);

/* The same for the two byte ranges with a key instead of a tag. Only an owner of the key can
 * compute it. */
void tci_hash256_keyed(const uint8_t key[32], const void *first, size_t first_size,
                       const void *second, size_t second_size, uint8_t out[32]);

#define TCI_HASH256_TEXT 65 /* 64 hex digits and the terminator */
void tci_hash256_text(const uint8_t hash[32], char text_out[TCI_HASH256_TEXT]);

void tci_content_id_text(const tci_content_id *id, char text_out[TCI_CONTENT_ID_TEXT]);

static inline bool tci_content_id_equal(const tci_content_id *a, const tci_content_id *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

#endif
