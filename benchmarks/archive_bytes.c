#include "archive_bytes.h"

#include "perf_options.h"

#include <stdio.h>
#include <string.h>

size_t archive_bytes_read(const char *folders, const char *name, void *bytes, size_t capacity)
{
    char path[PERF_PATH_MAX + 64];
    const char *at = folders;
    FILE *file = NULL;
    while (file == NULL && *at != '\0') {
        size_t n = strcspn(at, ":");
        (void)snprintf(path, sizeof path, "%.*s/%s.tca", (int)n, at, name);
        file = fopen(path, "rb");
        at += n + (at[n] == ':');
    }
    size_t size = file != NULL ? fread(bytes, 1, capacity, file) : 0;
    if (file != NULL)
        (void)fclose(file);
    return size;
}
