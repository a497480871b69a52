/* The secret half of minisign's format: making keys and signatures. For the tools that sign;
 * receivers of code do not need it. */
#ifndef TCI_MINISIGN_SECRET_H
#define TCI_MINISIGN_SECRET_H

#include "base/minisign.h"

#define TCI_MINISIGN_PUBLIC_TEXT 256
#define TCI_MINISIGN_SECRET_TEXT 512
#define TCI_MINISIGN_SIGNATURE_TEXT 1024

/* Wipe it with tci_minisign_secret_wipe. */
typedef struct tci_minisign_secret {
    tci_minisign_public public;
    uint8_t key[64];
} tci_minisign_secret;

/* Creates a pair of keys. TC_E_UNSUPPORTED: libsodium could not be started. */
TC_MUST_CHECK tc_status tci_minisign_secret_create(tci_minisign_secret *secret_out,
                                                   tc_error *err);
void tci_minisign_secret_wipe(tci_minisign_secret *secret);
/* Wipes a secret key's text. */
void tci_minisign_secret_wipe_text(char *text, size_t size);

/* Write the files' texts. If `password` is NULL, the secret key is not encrypted; else by
 * scrypt, which takes seconds and much memory. TC_E_NO_MEMORY. */
void tci_minisign_public_text(const tci_minisign_public *key,
                              char text_out[TCI_MINISIGN_PUBLIC_TEXT]);
TC_MUST_CHECK tc_status tci_minisign_secret_text(const tci_minisign_secret *secret,
                                                 const char *password,
                                                 char text_out[TCI_MINISIGN_SECRET_TEXT],
                                                 tc_error *err);

/* Returns whether a secret key's text needs a password. */
bool tci_minisign_secret_is_encrypted(const char *text, size_t size);

/* Parses a secret key's text. TC_E_CORRUPT: no such key; TC_E_REFUSED: another password, or no
 * password for a key that needs one; TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_minisign_secret_parse(const char *text, size_t size,
                                                  const char *password,
                                                  tci_minisign_secret *secret_out,
                                                  tc_error *err);

/* Signs a message, and `comment` together with the signature: at most 256 bytes of it, without
 * control characters. */
void tci_minisign_sign(const tci_minisign_secret *secret, const void *message, size_t size,
                       const char *comment, char text_out[TCI_MINISIGN_SIGNATURE_TEXT]);

#endif
