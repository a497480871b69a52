/* Files that the programs write for others to read. */
#ifndef TOOL_FILE_H
#define TOOL_FILE_H

#include <stddef.h>

/* Writes a file that a reader sees completely or not at all. Returns 0 on failure: errno has
 * the reason. */
int tool_file_write(const char *path, const void *bytes, size_t size);
int tool_file_write_number(const char *path, unsigned number);

#endif
