/* Files that the programs write for others to read, and small ones that they read. */
#ifndef TOOL_FILE_H
#define TOOL_FILE_H

#include <stddef.h>

/* Writes a file that a reader sees completely or not at all. Returns 0 on failure: errno has
 * the reason. */
int tool_file_write(const char *path, const void *bytes, size_t size);
int tool_file_write_number(const char *path, unsigned number);

/* Reads a regular file of at most `max` bytes into malloc'ed memory, without waiting for a
 * fifo. Returns 0, or the reason: EFBIG for a longer file, EINVAL for another kind of file,
 * ENOMEM, or the system's. */
int tool_file_read(const char *path, size_t max, void **bytes_out, size_t *size_out);

#endif
