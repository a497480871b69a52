/* Whether a file or folder can be believed: who owns it, who else may read or change it, and that
 * no link leads elsewhere. What is looked at is what was opened, never the name once more. */
#ifndef TCI_FILE_GUARD_H
#define TCI_FILE_GUARD_H

#include <stddef.h>
#include <sys/stat.h>
#include <tc/status.h>

typedef enum tci_file_guard {
    TCI_GUARD_PRIVATE, /* the user's, open to nobody else: secrets, and what runs as code */
    TCI_GUARD_TRUSTED  /* the user's or root's, and nobody else may change it: public keys */
} tci_file_guard;

/* Of what was opened; `path` is for the text. TC_E_INVALID: another owner or mode. */
TC_MUST_CHECK tc_status tci_file_guard_check(const struct stat *found, tci_file_guard guard,
                                             const char *path, tc_error *err);

/* Opens the folder itself, never what a link names. TC_E_NOT_FOUND; TC_E_INVALID: no folder, or
 * not one of `guard`; TC_E_IO. */
TC_MUST_CHECK tc_status tci_file_guard_open_folder(const char *path, tci_file_guard guard,
                                                   int *fd_out, tc_error *err);

/* Reads all of a regular file below `folder` (AT_FDCWD: `name` is a path) for free(), with a
 * zero behind it. `path` is for texts. TC_E_NOT_FOUND; TC_E_INVALID: a link, no file, or not one
 * of `guard`; TC_E_TOO_LARGE: more than max_bytes; TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_file_guard_read(int folder, const char *name, const char *path,
                                            tci_file_guard guard, size_t max_bytes,
                                            char **text_out, size_t *size_out, tc_error *err);

/* Makes a file of mode 0600 that was not there, and writes all of it. TC_E_IN_USE: something has
 * that name already, links too, and is left alone; TC_E_IO. */
TC_MUST_CHECK tc_status tci_file_guard_create(const char *path, const void *bytes, size_t size,
                                              tc_error *err);

#endif
