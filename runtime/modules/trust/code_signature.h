/* The signature of a function's code as it travels behind the code. It is checked against bytes
 * that were not parsed yet. */
#ifndef TCI_CODE_SIGNATURE_H
#define TCI_CODE_SIGNATURE_H

#include "base/minisign.h"
#include "code_statement.h"

typedef struct tci_code_signature {
    tci_minisign_signature signature;
    tci_code_digests digests; /* named by its statement */
    bool is_verified;         /* `verified` was found to have made it */
    tci_minisign_public verified;
} tci_code_signature;

/* Encodes the signature and the one of its two digests that `code` does not show itself: 104
 * bytes. */
void tci_code_signature_encode(const tci_code_signature *signature, const tci_code_bytes *code,
                               uint8_t *bytes_out);

/* Decodes the same. The other digest is computed from `code`. */
void tci_code_signature_decode(const uint8_t *bytes, const tci_code_bytes *code,
                               tci_code_signature *signature_out);

/* Returns whether the key has signed the statement of these digests. */
bool tci_code_signature_fits(const tci_code_signature *signature,
                             const tci_minisign_public *key);

#endif
