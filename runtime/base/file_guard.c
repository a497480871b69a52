#include "file_guard.h"

#include "base/error_text.h"
#include "base/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

tc_status tci_file_guard_check(const struct stat *found, tci_file_guard guard, const char *path,
                               tc_error *err)
{
    bool private = guard == TCI_GUARD_PRIVATE;
    bool folder = S_ISDIR(found->st_mode);
    if (found->st_uid != geteuid() && (private || found->st_uid != 0))
        return tci_error_set(err, TC_E_INVALID, "%s belongs to user %u, expected %u%s", path,
                             (unsigned)found->st_uid, (unsigned)geteuid(),
                             private ? "" : " or root");
    if ((found->st_mode & (private ? 077 : 022)) == 0)
        return TC_OK;
    if (private)
        return tci_error_set(err, TC_E_INVALID,
                             "%s has mode %04o, expected %s: open to its owner alone", path,
                             (unsigned)(found->st_mode & 07777), folder ? "0700" : "0600");
    return tci_error_set(err, TC_E_INVALID,
                         "%s has mode %04o, expected %s: others may not change it", path,
                         (unsigned)(found->st_mode & 07777), folder ? "0755" : "0644");
}

static tc_status refuse_folder(const char *path, int open_errno, tc_error *err)
{
    struct stat found;
    if (open_errno == ENOENT)
        return tci_error_set(err, TC_E_NOT_FOUND, "%s does not exist", path);
    if (fstatat(AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(found.st_mode))
        return tci_error_set(err, TC_E_INVALID, "%s is %s, expected a folder", path,
                             S_ISLNK(found.st_mode) ? "a symbolic link" : "no folder");
    return tci_error_errno(err, TC_E_IO, open_errno, "%s cannot be opened", path);
}

tc_status tci_file_guard_open_folder(const char *path, tci_file_guard guard, int *fd_out,
                                     tc_error *err)
{
    struct stat found;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return refuse_folder(path, errno, err);
    tc_status status = fstat(fd, &found) != 0 ? tci_error_errno(err, TC_E_IO, errno, "%s", path)
                                              : tci_file_guard_check(&found, guard, path, err);
    if (status != TC_OK) {
        (void)close(fd);
        return status;
    }
    *fd_out = fd;
    return TC_OK;
}

static tc_status check_file(int fd, tci_file_guard guard, const char *path, size_t max_bytes,
                            size_t *size_out, tc_error *err)
{
    struct stat found;
    if (fstat(fd, &found) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    if (!S_ISREG(found.st_mode))
        return tci_error_set(err, TC_E_INVALID, "%s is no regular file", path);
    TC_TRY(tci_file_guard_check(&found, guard, path, err));
    if ((uint64_t)found.st_size > max_bytes)
        return tci_error_set(err, TC_E_TOO_LARGE, "%s: %lld bytes, limit %zu", path,
                             (long long)found.st_size, max_bytes);
    *size_out = (size_t)found.st_size;
    return TC_OK;
}

static tc_status read_opened(int fd, const char *path, size_t size, char **text_out,
                             size_t *size_out, tc_error *err)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", path);
    if (!tci_full_io_read(fd, text, size, &size)) {
        free(text);
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    }
    text[size] = '\0';
    *text_out = text;
    *size_out = size;
    return TC_OK;
}

tc_status tci_file_guard_read(int folder, const char *name, const char *path,
                              tci_file_guard guard, size_t max_bytes, char **text_out,
                              size_t *size_out, tc_error *err)
{
    size_t size;
    /* Opened without blocking: a FIFO under this name must not hold up the caller. */
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        return tci_error_set(err, TC_E_INVALID, "%s is a symbolic link, expected a file", path);
    if (fd < 0)
        return tci_error_errno(err, errno == ENOENT ? TC_E_NOT_FOUND : TC_E_IO, errno, "%s",
                               path);
    tc_status status = check_file(fd, guard, path, max_bytes, &size, err);
    if (status == TC_OK)
        status = read_opened(fd, path, size, text_out, size_out, err);
    (void)close(fd);
    return status;
}

tc_status tci_file_guard_create(const char *path, const void *bytes, size_t size, tc_error *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return tci_error_errno(err, errno == EEXIST ? TC_E_IN_USE : TC_E_IO, errno, "%s", path);
    bool written = tci_full_io_write(fd, bytes, size) && fsync(fd) == 0;
    int failure = errno;
    if (close(fd) != 0 && written) {
        written = false;
        failure = errno;
    }
    if (written)
        return TC_OK;
    (void)unlink(path);
    return tci_error_errno(err, TC_E_IO, failure, "%s", path);
}
