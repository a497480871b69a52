#define _XOPEN_SOURCE 700 /* nftw */
#include "perf_folder.h"

#include "perf_options.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_FOLDERS 8 /* at once, while one is removed */

bool perf_folder_make(char *folder, size_t size)
{
    const char *parent = getenv("TMPDIR");
    (void)snprintf(folder, size, "%s/tc-perf-XXXXXX", parent != NULL ? parent : "/tmp");
    if (mkdtemp(folder) != NULL)
        return true;
    (void)fprintf(stderr, "tc-perf: folder %s: %s\n", folder, strerror(errno));
    return false;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

void perf_folder_remove(const char *folder)
{
    if (nftw(folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) != 0)
        (void)fprintf(stderr, "tc-perf: folder %s: %s\n", folder, strerror(errno));
}

bool perf_folder_write(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[PERF_PATH_MAX + 64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wxe");
    bool ok = file != NULL && fwrite(bytes, 1, size, file) == size;
    ok = file != NULL && fclose(file) == 0 && ok;
    if (!ok)
        (void)fprintf(stderr, "tc-perf: %s: %s\n", path, strerror(errno));
    return ok;
}
