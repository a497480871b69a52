/* The statement that is signed for a function's code: a text with two digests. With them each
 * form in which the code travels can be checked before anything reads it
 * (docs/archive-format.md): the archive by the digest of its bytes, and its stored form
 * (archive.h), which shows the unpacked content, by the digest of its content. */
#ifndef TCI_CODE_STATEMENT_H
#define TCI_CODE_STATEMENT_H

#include "archive.h"

#define TCI_CODE_DIGEST_BYTES 32u
#define TCI_CODE_STATEMENT_TEXT 256

/* BLAKE2b-256 of a tag, and of both byte ranges, each preceded by its length. */
typedef struct tci_code_digests {
    uint8_t content[TCI_CODE_DIGEST_BYTES]; /* of the archive's content, and deps */
    uint8_t archive[TCI_CODE_DIGEST_BYTES]; /* of the archive's bytes, and deps */
} tci_code_digests;

/* Bytes of an archive that have not been checked, and the text of its .deps file. */
typedef struct tci_code_bytes {
    const void *archive;
    size_t archive_size;
    const void *deps;
    size_t deps_size;
} tci_code_bytes;

/* Returns whether the archive's bytes give the digest of the content, as those of a stored one
 * do; others give that of the archive. Reads only the archive's first bytes and its size. */
bool tci_code_statement_shows_content(const tci_code_bytes *code);

/* Sets the digest that the bytes give. */
void tci_code_statement_digest(const tci_code_bytes *code, tci_code_digests *digests_out);

/* Computes the digest of the content of an opened archive. */
void tci_code_statement_content(const tci_archive *archive, const void *deps, size_t deps_size,
                                uint8_t digest_out[TCI_CODE_DIGEST_BYTES]);

/* Computes both digests of an archive that was opened from these bytes. */
void tci_code_statement_digests(const tci_code_bytes *code, const tci_archive *archive,
                                tci_code_digests *digests_out);

/* Writes the text that is signed. Returns its length. */
size_t tci_code_statement_text(const tci_code_digests *digests,
                               char text_out[TCI_CODE_STATEMENT_TEXT]);

#endif
