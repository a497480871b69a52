#include "archive_file.h"

#include "base/error_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens without waiting for the other end of a fifo; its size bounds what will be read. */
static tc_status open_regular(const char *path, size_t max_bytes, int *fd_out, size_t *size_out,
                              tc_error *err)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return tci_error_errno(err, errno == ENOENT ? TC_E_NOT_FOUND : TC_E_IO, errno, "%s",
                               path);
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

/* A file that shrank meanwhile gives fewer bytes than asked for. */
static tc_status read_all(int fd, const char *path, uint8_t *bytes, size_t size,
                          size_t *got_out, tc_error *err)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, bytes + got, size - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tci_error_errno(err, TC_E_IO, errno, "%s", path);
        if (n == 0)
            break;
        got += (size_t)n;
    }
    *got_out = got;
    return TC_OK;
}

tc_status tci_archive_file_read(const char *path, size_t max_bytes, void **bytes_out,
                                size_t *size_out, tc_error *err)
{
    int fd;
    size_t size;
    TC_TRY(open_regular(path, max_bytes, &fd, &size, err));
    tc_status status;
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL)
        status = tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for %zu bytes", path, size);
    else
        status = read_all(fd, path, bytes, size, &size, err);
    (void)close(fd);
    if (status != TC_OK) {
        free(bytes);
        return status;
    }
    *bytes_out = bytes;
    *size_out = size;
    return TC_OK;
}

static tc_status write_all(int fd, const char *path, const uint8_t *bytes, size_t size,
                           tc_error *err)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tci_error_errno(err, TC_E_IO, errno, "%s", path);
        bytes += n;
        size -= (size_t)n;
    }
    return TC_OK;
}

/* Pipes, terminals and devices are written to; renaming would put a file in their place. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static tc_status write_file(const char *path, int flags, const void *bytes, size_t size,
                            tc_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    tc_status status = write_all(fd, path, bytes, size, err);
    if (close(fd) != 0 && status == TC_OK)
        status = tci_error_errno(err, TC_E_IO, errno, "%s", path);
    return status;
}

tc_status tci_archive_file_write(const char *path, const void *bytes, size_t size,
                                 tc_error *err)
{
    if (is_special(path))
        return write_file(path, 0, bytes, size, err);

    size_t length = strlen(path) + 32;
    char *temporary = malloc(length);
    if (temporary == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: no memory for its name", path);
    (void)snprintf(temporary, length, "%s.%ld.tmp", path, (long)getpid());
    tc_status status = write_file(temporary, O_CREAT | O_TRUNC | O_NOFOLLOW, bytes, size, err);
    if (status == TC_OK && rename(temporary, path) != 0)
        status = tci_error_errno(err, TC_E_IO, errno, "%s", path);
    if (status != TC_OK)
        (void)unlink(temporary);
    free(temporary);
    return status;
}
