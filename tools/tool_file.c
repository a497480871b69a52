#include "tool_file.h"

#include "base/file_replacement.h"

#include <stdio.h>

int tool_file_write(const char *path, const void *bytes, size_t size)
{
    return tci_file_replacement_write(path, bytes, size);
}

int tool_file_write_number(const char *path, unsigned number)
{
    char line[32];
    int length = snprintf(line, sizeof line, "%u\n", number);
    return tci_file_replacement_write(path, line, (size_t)length);
}
