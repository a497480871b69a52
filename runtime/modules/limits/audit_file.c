#include "modules/limits/audit_file.h"

#include "base/error_text.h"
#include "base/file_guard.h"
#include "base/logger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tci_audit_file {
    int fd; /* -1: the log */
    uint64_t lost;
    bool has_lost;  /* a line was lost before; the log has reported it */
    bool is_broken; /* the last line was written in part */
    char path[];
};

static tc_status check(int fd, const char *path, tc_error *err)
{
    struct stat found;
    if (fstat(fd, &found) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    if (!S_ISREG(found.st_mode))
        return tci_error_set(err, TC_E_INVALID, "%s is no regular file", path);
    return tci_file_guard_check(&found, TCI_GUARD_PRIVATE, path, err);
}

/* Opens without blocking: a FIFO under this name must not hold up the caller. */
static tc_status open_path(const char *path, int *fd_out, tc_error *err)
{
    /* bound: RLIMIT_FSIZE */
    int fd = open(
        path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
        0600);
    if (fd < 0 && errno == ELOOP)
        return tci_error_set(err, TC_E_INVALID, "%s is a symbolic link, expected a file", path);
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "%s", path);
    tc_status status = check(fd, path, err);
    if (status != TC_OK) {
        (void)close(fd);
        return status;
    }
    *fd_out = fd;
    return TC_OK;
}

tc_status tci_audit_file_open(const char *option, tci_audit_file **file_out, tc_error *err)
{
    *file_out = NULL;
    if (option[0] == '\0')
        return TC_OK;
    const size_t size = strlen(option) + 1;
    tci_audit_file *file = calloc(1, sizeof *file + size);
    if (file == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "audit: out of memory");
    memcpy(file->path, option, size);
    file->fd = -1;
    tc_status status =
        strcmp(option, "log") == 0 ? TC_OK : open_path(file->path, &file->fd, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "option audit");
        free(file);
        return status;
    }
    *file_out = file;
    return TC_OK;
}

void tci_audit_file_close(tci_audit_file *file)
{
    if (file == NULL)
        return;
    if (file->fd >= 0)
        (void)close(file->fd);
    free(file);
}

tc_status tci_audit_file_reopen(tci_audit_file *file, tc_error *err)
{
    int fd;
    if (file->fd < 0)
        return TC_OK;
    tc_status status = open_path(file->path, &fd, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "option audit");
        return status;
    }
    (void)close(file->fd);
    file->fd = fd;
    file->is_broken = false;
    return TC_OK;
}

static void lose(tci_audit_file *file, const char *why)
{
    file->lost++;
    if (!file->has_lost)
        TC_LOG(TC_LOG_ERROR, "audit: %s: this line and the following ones are lost: %s",
               file->path, why);
    file->has_lost = true;
}

/* Writes in one piece, so that lines of several processes do not mix. */
static bool put(tci_audit_file *file, const char *bytes, size_t size)
{
    ssize_t n;
    do {
        n = write(file->fd, bytes, size);
    } while (n < 0 && errno == EINTR);
    if (n == (ssize_t)size)
        return true;
    file->is_broken |= n > 0;
    lose(file, n < 0 ? strerror(errno) : "it was written in part");
    return false;
}

static bool put_line(tci_audit_file *file, tci_audit_line *line)
{
    if (file->is_broken) {
        file->is_broken = false;
        if (!put(file, "\n", 1)) {
            file->is_broken = true;
            return false;
        }
    }
    return put(file, line->text, line->used);
}

static void tell_lost(tci_audit_file *file)
{
    tci_audit_line line;
    const uint64_t lost = file->lost;
    if (lost == 0)
        return;
    tci_audit_line_begin(&line, "lost");
    tci_audit_line_number(&line, "lines", lost);
    tci_audit_line_end(&line);
    if (put_line(file, &line))
        file->lost = 0;
    else
        file->lost = lost; /* the report about lost lines is not counted itself */
}

void tci_audit_file_write(tci_audit_file *file, tci_audit_line *line)
{
    tci_audit_line_end(line);
    if (file->fd < 0) {
        tci_log_line(TC_LOG_INFO, "audit %.*s", (int)line->used - 1, line->text);
        return;
    }
    tell_lost(file);
    if (file->lost == 0)
        (void)put_line(file, line);
    else
        file->lost++;
}
