/* An ifunc's archive as bytes, for functions that are to be like it but not the same. */
#ifndef TC_PERF_ARCHIVE_BYTES_H
#define TC_PERF_ARCHIVE_BYTES_H

#include <stddef.h>

/* NAME.tca from the first of the folders ("a:b") that has it; 0: none has. */
size_t archive_bytes_read(const char *folders, const char *name, void *bytes, size_t capacity);

#endif
