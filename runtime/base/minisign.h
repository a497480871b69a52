/* Keys and signatures in the format of minisign. Its tool makes and checks the same files
 * (https://jedisct1.github.io/minisign): Ed25519 over the BLAKE2b-512 hash of the message,
 * which the format calls prehashed (`ED`). The older kind (`Ed`, over the bytes themselves) is
 * refused: the tool has not made it since 2020 unless asked.
 *
 * Parsers take bytes from outside and read no file. */
#ifndef TCI_MINISIGN_H
#define TCI_MINISIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_KEY_ID_BYTES 8u
#define TCI_KEY_ID_TEXT 17 /* 16 hex digits and the terminator, as the tool writes them */
#define TCI_SIGNATURE_BYTES 64u

#define TCI_MINISIGN_FILE_MAX 16384u /* bytes of a file with a key or a signature */
#define TCI_MINISIGN_COMMENT_MAX 8192u

typedef struct tci_minisign_public {
    uint8_t id[TCI_KEY_ID_BYTES];
    uint8_t key[32];
} tci_minisign_public;

typedef struct tci_minisign_signature {
    uint8_t key_id[TCI_KEY_ID_BYTES];
    uint8_t bytes[TCI_SIGNATURE_BYTES];
} tci_minisign_signature;

/* The second part of a signature file: a comment that the same key signed together with the
 * signature. */
typedef struct tci_minisign_comment {
    const char *text; /* a view of the file's text, not terminated */
    size_t size;
    uint8_t signature[TCI_SIGNATURE_BYTES]; /* of the signature and the comment */
} tci_minisign_comment;

void tci_minisign_id_text(const uint8_t id[TCI_KEY_ID_BYTES], char text_out[TCI_KEY_ID_TEXT]);

/* Parses the two lines of a key file; *rest_out points behind them. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_minisign_public_parse(const char *text, size_t size,
                                                  tci_minisign_public *key_out,
                                                  const char **rest_out, tc_error *err);

/* Parses a signature file; comment_out may be NULL. Verifies no signature. TC_E_CORRUPT,
 * TC_E_VERSION (the older kind). */
TC_MUST_CHECK tc_status tci_minisign_signature_parse(const char *text, size_t size,
                                                     tci_minisign_signature *signature_out,
                                                     tci_minisign_comment *comment_out,
                                                     tc_error *err);

/* Returns whether the key has signed this message; the ids are not compared. Takes some 50
 * us. */
bool tci_minisign_fits(const tci_minisign_public *key, const uint8_t signature[64],
                       const void *message, size_t size);

/* Returns whether the key has signed the comment, too. */
bool tci_minisign_comment_fits(const tci_minisign_public *key,
                               const tci_minisign_signature *signature,
                               const tci_minisign_comment *comment);

#endif
