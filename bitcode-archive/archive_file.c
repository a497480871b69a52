#include "archive_file.h"

#include "base/error_text.h"
#include "base/file_replacement.h"
#include "base/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens without waiting for the other end of a fifo; the file's size limits later reads. */
static tc_status open_regular(const char *path, size_t max_bytes, int *fd_out, size_t *size_out,
                              tc_error *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        bool missing = errno == ENOENT || errno == ENOTDIR;
        return tci_error_errno(err, missing ? TC_E_NOT_FOUND : TC_E_IO, errno, "%s", path);
    }
    tc_status status = TC_OK;
    if (fstat(fd, &info) != 0)
        status = tci_error_errno(err, TC_E_IO, errno, "%s", path);
    else if (!S_ISREG(info.st_mode))
        status = tci_error_set(err, TC_E_IO, "%s: not a regular file", path);
    else if ((uint64_t)info.st_size > max_bytes)
        status = tci_error_set(err, TC_E_TOO_LARGE, "%s: %lld bytes, limit %zu", path,
                               (long long)info.st_size, max_bytes);
    if (status != TC_OK) {
        (void)close(fd);
        return status;
    }
    *fd_out = fd;
    *size_out = (size_t)info.st_size;
    return TC_OK;
}

tc_status tci_archive_file_read(const char *path, size_t max_bytes, void **bytes_out,
                                size_t *size_out, tc_error *err)
{
    int fd;
    size_t size;
    TC_TRY(open_regular(path, max_bytes, &fd, &size, err));
    tc_status status = TC_OK;
    void *bytes = malloc(size + 1);
    if (bytes == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for %zu bytes", path, size);
    else if (!tci_full_io_read(fd, bytes, size, &size)) /* fewer bytes if the file shrinks */
        status = tci_error_errno(err, TC_E_IO, errno, "%s", path);
    (void)close(fd);
    if (status != TC_OK) {
        free(bytes);
        return status;
    }
    *bytes_out = bytes;
    *size_out = size;
    return TC_OK;
}

/* Pipes, terminals and devices are written to; a rename would replace them by a file. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static tc_status write_special(const char *path, const void *bytes, size_t size, tc_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    tc_status status = TC_OK;
    if (!tci_full_io_write(fd, bytes, size))
        status = tci_error_errno(err, TC_E_IO, errno, "%s", path);
    if (close(fd) != 0 && status == TC_OK)
        status = tci_error_errno(err, TC_E_IO, errno, "%s", path);
    return status;
}

tc_status tci_archive_file_write(const char *path, const void *bytes, size_t size,
                                 tc_error *err)
{
    if (is_special(path))
        return write_special(path, bytes, size, err);
    if (!tci_file_replacement_write(path, bytes, size))
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    return TC_OK;
}
