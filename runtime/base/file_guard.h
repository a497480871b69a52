/* Checks that a file or folder can be trusted: its owner, the access of other users, and that
 * no link leads elsewhere. The checks use the opened descriptor and never look the name up
 * again. */
#ifndef TCI_FILE_GUARD_H
#define TCI_FILE_GUARD_H

#include <stddef.h>
#include <sys/stat.h>
#include <tc/status.h>

typedef enum tci_file_guard {
    /* the user's, closed to all others: secrets, and files that run as code */
    TCI_GUARD_PRIVATE,
    TCI_GUARD_TRUSTED /* the user's or root's, and no other user may change it: public keys */
} tci_file_guard;

/* Checks the status of an opened file; `path` is for the text. TC_E_INVALID: another owner or
 * mode. */
TC_MUST_CHECK tc_status tci_file_guard_check(const struct stat *found, tci_file_guard guard,
                                             const char *path, tc_error *err);

/* Opens the folder itself, never a link's target. TC_E_NOT_FOUND; TC_E_INVALID: no folder, or
 * one that does not satisfy `guard`; TC_E_IO. */
TC_MUST_CHECK tc_status tci_file_guard_open_folder(const char *path, tci_file_guard guard,
                                                   int *fd_out, tc_error *err);

/* Reads all of a regular file below `folder` (AT_FDCWD: `name` is a path), with a zero behind
 * it; the caller calls free(). `path` is for texts. TC_E_NOT_FOUND; TC_E_INVALID: a link, no
 * file, or one that does not satisfy `guard`; TC_E_TOO_LARGE: more than max_bytes; TC_E_IO,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_file_guard_read(int folder, const char *name, const char *path,
                                            tci_file_guard guard, size_t max_bytes,
                                            char **text_out, size_t *size_out, tc_error *err);

/* Creates a file of mode 0600 and writes all of it. TC_E_IN_USE: the name exists already,
 * perhaps as a link, and is left alone; TC_E_IO. */
TC_MUST_CHECK tc_status tci_file_guard_create(const char *path, const void *bytes, size_t size,
                                              tc_error *err);

#endif
