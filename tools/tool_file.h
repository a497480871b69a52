/* Files that the programs write for others to read. */
#ifndef TOOL_FILE_H
#define TOOL_FILE_H

#include <stddef.h>

/* A reader sees all of it or nothing. 0: errno says why. */
int tool_file_write(const char *path, const void *bytes, size_t size);
int tool_file_write_number(const char *path, unsigned number);

#endif
