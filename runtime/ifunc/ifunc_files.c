#include "ifunc_files.h"

#include "base/error_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define DEPS_BYTES_MAX 65536u
#define SUFFIX ".tca"

typedef struct file_bytes {
    void *bytes; /* NULL: there is no such file */
    size_t size;
} file_bytes;

static tc_status read_all(int fd, const char *path, size_t size, file_bytes *out, tc_error *err)
{
    char *bytes = malloc(size + 1);
    size_t have = 0;
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", path);
    while (have < size) {
        ssize_t n = read(fd, bytes + have, size - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            free(bytes);
            return tci_error_errno(err, TC_E_IO, errno, "%s", path);
        }
        if (n == 0)
            break; /* it shrank while we read; the archive's own checks judge the rest */
        have += (size_t)n;
    }
    *out = (file_bytes){bytes, have};
    return TC_OK;
}

/* A missing file is TC_OK with bytes NULL. */
static tc_status read_file(const char *path, uint64_t max, file_bytes *out, tc_error *err)
{
    struct stat info;
    tc_status status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (file_bytes){NULL, 0};
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return TC_OK;
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    if (fstat(fd, &info) != 0)
        status = tci_error_errno(err, TC_E_IO, errno, "%s", path);
    else if (!S_ISREG(info.st_mode))
        status = tci_error_set(err, TC_E_IO, "%s: not a regular file", path);
    else if ((uint64_t)info.st_size > max)
        status = tci_error_set(err, TC_E_TOO_LARGE, "%s: %llu bytes, expected at most %llu",
                               path, (unsigned long long)info.st_size, (unsigned long long)max);
    else
        status = read_all(fd, path, (size_t)info.st_size, out, err);
    close(fd);
    return status;
}

static bool deps_path(const char *path, char out[PATH_BYTES])
{
    size_t n = strlen(path);
    size_t suffix = strlen(SUFFIX);
    if (n > suffix && strcmp(path + n - suffix, SUFFIX) == 0)
        n -= suffix;
    return snprintf(out, PATH_BYTES, "%.*s.deps", (int)n, path) < PATH_BYTES;
}

/* TC_E_NOT_FOUND, with err untouched, when there is no such archive. */
static tc_status try_file(tci_registry *registry, const char *path, tc_ifunc **fn_out,
                          tc_error *err)
{
    char path_of_deps[PATH_BYTES];
    file_bytes archive, deps = {NULL, 0};
    TC_TRY(read_file(path, registry->options->code_bytes_max, &archive, err));
    if (archive.bytes == NULL)
        return TC_E_NOT_FOUND;
    tc_status status = TC_OK;
    if (!deps_path(path, path_of_deps))
        status = tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", path);
    else
        status = read_file(path_of_deps, DEPS_BYTES_MAX, &deps, err);
    if (status == TC_OK) {
        status = tci_registry_add(registry, archive.bytes, archive.size, deps.bytes, deps.size,
                                  NULL, fn_out, err);
        if (status != TC_OK)
            tci_error_prefix(err, "%s", path);
    }
    free(deps.bytes);
    free(archive.bytes);
    return status;
}

tc_status tci_ifunc_read_file(tci_registry *registry, const char *path, tc_ifunc **fn_out,
                              tc_error *err)
{
    tc_status status = try_file(registry, path, fn_out, err);
    if (status == TC_E_NOT_FOUND)
        return tci_error_set(err, status, "%s: no such file", path);
    return status;
}

static bool is_plain_name(const char *name)
{
    size_t n = strlen(name);
    return n > 0 && n < TCI_ARCHIVE_NAME_MAX && strchr(name, '/') == NULL && name[0] != '.';
}

tc_status tci_ifunc_read_named(tci_registry *registry, const char *name, tc_ifunc **fn_out,
                               tc_error *err)
{
    char path[PATH_BYTES];
    const char *folders = registry->options->ifunc_path;
    if (!is_plain_name(name))
        return tci_error_set(err, TC_E_INVALID,
                             "ifunc name '%.80s': expected 1 to %d characters without '/'",
                             name, TCI_ARCHIVE_NAME_MAX - 1);
    for (const char *at = folders;; at++) {
        size_t n = strcspn(at, ":");
        int length = snprintf(path, sizeof path, "%.*s/%s" SUFFIX, n > 0 ? (int)n : 1,
                              n > 0 ? at : ".", name);
        if (length > 0 && (size_t)length < sizeof path) {
            tc_status status = try_file(registry, path, fn_out, err);
            if (status != TC_E_NOT_FOUND)
                return status;
        }
        at += n;
        if (*at == '\0')
            break;
    }
    return tci_error_set(err, TC_E_NOT_FOUND,
                         "no %s" SUFFIX " in the folders of TC_IFUNC_PATH: %s", name, folders);
}
