/* Archives with noise as their code: for tests that send code and run none of it. */
#ifndef TC_TEST_FAKE_ARCHIVE_H
#define TC_TEST_FAKE_ARCHIVE_H

#include <stddef.h>

/* An archive of that name with these entries (TCI_ENTRY_ bits, and above them the alignment as
 * archives have it) and code of `bytes` bytes, for
 * free(). */
void *fake_archive(const char *name, unsigned entries, size_t bytes, size_t *size_out);

#endif
