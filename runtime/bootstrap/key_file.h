/* Files that hold secrets: keys that processes share, and the private keys of certificates.
 *
 * A key file is text, one key in a line; empty lines and those that begin with '#' are skipped:
 *
 *     tchains-key NAME 64-hex-digits
 *
 * A name has 1 to 64 characters of A-Z a-z 0-9 . _ - @. The first key is the one that this side
 * connects with; peers may have any of them. */
#ifndef TCI_KEY_FILE_H
#define TCI_KEY_FILE_H

#include "tls_ops.h"

#define TCI_KEY_FILE_KEYS_MAX 16u
#define TCI_KEY_FILE_BYTES_MAX 65536u /* of any file that is read here */

typedef struct tci_key_file {
    tci_tls_key keys[TCI_KEY_FILE_KEYS_MAX];
    size_t count; /* >= 1 */
} tci_key_file;

/* Reads a whole file. A secret one has to be a file of this user or root that no other user may
 * read or write, and not a link. `option` is for texts. TC_E_INVALID (the text has the reason),
 * TC_E_NOT_FOUND, TC_E_IO. */
TC_MUST_CHECK tc_status tci_key_file_read(const char *option, const char *path, bool secret,
                                          char out[TCI_KEY_FILE_BYTES_MAX], size_t *size_out,
                                          tc_error *err);

/* TC_E_INVALID: the text names the line, and never quotes a key. */
TC_MUST_CHECK tc_status tci_key_file_parse(const char *text, size_t size,
                                           tci_key_file *file_out, tc_error *err);

#endif
