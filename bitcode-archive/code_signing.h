/* Signs archives in files, for the tools: NAME.tca, and NAME.deps beside it, give
 * NAME.tca.minisig. */
#ifndef TCI_CODE_SIGNING_H
#define TCI_CODE_SIGNING_H

#include "base/minisign_secret.h"
#include "code_statement.h"

#define TCI_SIGNATURE_SUFFIX ".minisig"

/* Reads a secret key file of mode 0600. For an encrypted one the password is read from the
 * terminal, or from a line of stdin. The caller wipes the key. TC_E_INVALID: a file that others
 * can read; statuses of tci_minisign_secret_parse; TC_E_NOT_FOUND, TC_E_IO. */
TC_MUST_CHECK tc_status tci_code_signing_key(const char *path, tci_minisign_secret *secret_out,
                                             tc_error *err);

/* Asks for a password, twice with `again`. For free(), after the caller has wiped it.
 * TC_E_INVALID: the two differ; TC_E_IO. */
TC_MUST_CHECK tc_status tci_code_signing_password(const char *prompt, bool again,
                                                  char **password_out, tc_error *err);

/* Opens an archive's file and returns its statement, the text that is signed. TC_E_INVALID:
 * path too long; statuses of tci_archive_open and tci_archive_file_read. */
TC_MUST_CHECK tc_status tci_code_signing_statement(const char *path,
                                                   char text_out[TCI_CODE_STATEMENT_TEXT],
                                                   char name_out[TCI_ARCHIVE_NAME_MAX],
                                                   tc_error *err);

/* Writes the signature beside the archive. Statuses as above, and TC_E_IO. */
TC_MUST_CHECK tc_status tci_code_signing_sign(const char *path,
                                              const tci_minisign_secret *secret, tc_error *err);

/* Checks that the signature beside the archive, its comment included, is the key's.
 * TC_E_REFUSED: it is not, err gives the reason; TC_E_NOT_FOUND: there is no signature;
 * statuses as above and of tci_minisign_signature_parse. */
TC_MUST_CHECK tc_status tci_code_signing_verify(const char *path,
                                                const tci_minisign_public *key, tc_error *err);

/* Removes the signature of an archive that was written again: the old one would cause its
 * refusal. TC_E_IO. */
TC_MUST_CHECK tc_status tci_code_signing_remove(const char *path, tc_error *err);

#endif
