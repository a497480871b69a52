/* Reads and writes whole files, bounded: for the command line tools that handle archives. */
#ifndef TCI_ARCHIVE_FILE_H
#define TCI_ARCHIVE_FILE_H

#include <stddef.h>
#include <tc/status.h>

#define TCI_ARCHIVE_FILE_MAX (272u << 20) /* fits a stored archive at its limits */

/* Reads all of a regular file, for free(); an empty file gives a pointer too. TC_E_NOT_FOUND,
 * TC_E_IO (also for a folder or a device), TC_E_TOO_LARGE (more than max_bytes),
 * TC_E_NO_MEMORY; err names the path. */
TC_MUST_CHECK tc_status tci_archive_file_read(const char *path, size_t max_bytes,
                                              void **bytes_out, size_t *size_out,
                                              tc_error *err);

/* Replaces the file in one step: a reader sees the old bytes or the new ones, never a part.
 * TC_E_IO; err names the path. */
TC_MUST_CHECK tc_status tci_archive_file_write(const char *path, const void *bytes, size_t size,
                                               tc_error *err);

#endif
