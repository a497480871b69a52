/* An archive file, opened for the assertions of a test. */
#ifndef TEST_ARCHIVE_CHECK_H
#define TEST_ARCHIVE_CHECK_H

#include "archive.h"

typedef struct opened_archive {
    char *bytes;
    size_t size;
    tci_archive *archive;
} opened_archive;

/* Fails the test when the file is not there or not an archive. */
void open_archive(opened_archive *opened, const char *path);
void close_archive(opened_archive *opened);

/* The symbols of the slice for a normalised triple, joined by blanks: "abort snprintf". */
void assert_symbols(const opened_archive *opened, const char *triple, const char *expected);

void assert_same_files(const char *one, const char *other);

#endif
