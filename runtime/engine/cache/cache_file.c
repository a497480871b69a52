/* Files are read without following a link or blocking, and written under a random name that is
 * then renamed. */
#include "cache_file.h"

#include "base/error_text.h"
#include "base/full_io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_DIGITS 32u
#define TOUCH_AFTER_S 60
#define CACHE_FILES_MAX (1u << 20) /* limit of one listing of the folder */

static tc_status check_found(int fd, struct stat *found, tc_error *err)
{
    if (fstat(fd, found) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "it cannot be looked at");
    if (!S_ISREG(found->st_mode) || found->st_uid != geteuid())
        return tci_error_set(err, TC_E_CORRUPT, "it is no regular file of this user");
    if (found->st_size <= 0 || found->st_size > TCI_CACHE_ENTRY_BYTES_MAX)
        return tci_error_set(err, TC_E_CORRUPT, "it has %lld bytes, limit %u",
                             (long long)found->st_size, TCI_CACHE_ENTRY_BYTES_MAX);
    return TC_OK;
}

static tc_status read_opened(int fd, void **bytes_out, size_t *size_out,
                             struct timespec *used_out, tc_error *err)
{
    struct stat found;
    TC_TRY(check_found(fd, &found, err));
    size_t size = (size_t)found.st_size;
    void *bytes = malloc(size);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "out of memory for its %zu bytes", size);
    size_t got = size;
    tc_status status = TC_OK;
    if (!tci_full_io_read(fd, bytes, size, &got))
        status = tci_error_errno(err, TC_E_IO, errno, "it cannot be read");
    else if (got < size)
        status = tci_error_set(err, TC_E_CORRUPT, "it became shorter than %zu bytes", size);
    if (status != TC_OK) {
        free(bytes);
        return status;
    }
    *bytes_out = bytes;
    *size_out = size;
    *used_out = found.st_mtim;
    return TC_OK;
}

/* Returns whether an error concerns the named file, and not this process or the disk. */
static bool is_foreign(int open_errno)
{
    return open_errno == ELOOP || open_errno == ENXIO || open_errno == EACCES ||
           open_errno == EPERM || open_errno == ENODEV;
}

tc_status tci_cache_file_read(int folder, const char *name, void **bytes_out, size_t *size_out,
                              struct timespec *used_out, tc_error *err)
{
    /* Does not block: a FIFO of this name must not hold up a function for ever. */
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ESTALE))
        return tci_error_set(err, TC_E_NOT_FOUND, "it does not exist");
    if (fd < 0)
        return tci_error_errno(err, is_foreign(errno) ? TC_E_CORRUPT : TC_E_IO, errno,
                               "it cannot be opened");
    tc_status status = read_opened(fd, bytes_out, size_out, used_out, err);
    (void)close(fd);
    return status;
}

bool tci_cache_file_head(int folder, const char *name, void *bytes_out, size_t size)
{
    size_t got = 0;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool all = tci_full_io_read(fd, bytes_out, size, &got) && got == size;
    (void)close(fd);
    return all;
}

/* A write beyond RLIMIT_FSIZE ends a process by a signal, unless the process handles it. A
 * cache must not cause that. */
static bool may_write(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= size;
}

/* Makes the name of a file that is being written: random each time, so that threads, processes
 * and hosts which share the folder do not collide; O_EXCL turns a collision into an error. */
static bool temporary_name(char name_out[TCI_CACHE_FILE_NAME])
{
    tci_content_id drawn;
    if (getrandom(drawn.bytes, sizeof drawn.bytes, 0) != (ssize_t)sizeof drawn.bytes)
        return false;
    tci_content_id_text(&drawn, name_out);
    memcpy(name_out + NAME_DIGITS, ".tmp", sizeof ".tmp");
    return true;
}

tc_status tci_cache_file_write(int folder, const char *name, const void *bytes, size_t size,
                               tc_error *err)
{
    char temporary[TCI_CACHE_FILE_NAME];
    if (!may_write(size))
        return tci_error_errno(err, TC_E_IO, EFBIG, "%zu bytes cannot be written", size);
    if (!temporary_name(temporary))
        return tci_error_errno(err, TC_E_IO, errno, "no random name");
    int fd =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "a file cannot be made");
    bool written = tci_full_io_write(fd, bytes, size);
    int failure = errno;
    if (close(fd) != 0 && written) { /* network file systems report a full disk here */
        written = false;
        failure = errno;
    }
    /* No fsync: the checksum detects a file torn by a crash. */
    if (written && renameat(folder, temporary, folder, name) == 0)
        return TC_OK;
    if (written && errno == ENOENT)
        return TC_OK; /* the cache was cleared meanwhile, with this file */
    if (written)
        failure = errno;
    (void)unlinkat(folder, temporary, 0);
    return tci_error_errno(err, TC_E_IO, failure, "%zu bytes cannot be written", size);
}

bool tci_cache_file_remove(int folder, const char *name)
{
    if (unlinkat(folder, name, 0) == 0 || errno == ENOENT)
        return true;
    return errno == EISDIR && unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

void tci_cache_file_touch(int folder, const char *name, struct timespec used)
{
    static const struct timespec now_and_now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    /* Touches it also when the clock was set back, or this file would outlive all others. */
    if (now.tv_sec - used.tv_sec >= TOUCH_AFTER_S || used.tv_sec > now.tv_sec)
        (void)utimensat(folder, name, now_and_now, AT_SYMLINK_NOFOLLOW);
}

/* Returns whether a name is one of the cache's; other files in the folder are never touched. */
static bool is_cache_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           (strcmp(name + NAME_DIGITS, ".tco") == 0 || strcmp(name + NAME_DIGITS, ".tmp") == 0);
}

static int by_last_use(const void *a, const void *b)
{
    const tci_cache_file *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name); /* the same order for every process */
}

static bool grow(tci_cache_file **files, size_t *capacity)
{
    size_t more = *capacity == 0 ? 256 : *capacity * 2;
    /* bound: CACHE_FILES_MAX */
    tci_cache_file *grown = realloc(*files, more * sizeof **files);
    if (grown == NULL)
        return false;
    *files = grown;
    *capacity = more;
    return true;
}

static tc_status list_stream(DIR *stream, tci_cache_file **files, size_t *count, tc_error *err)
{
    size_t capacity = 0;
    for (const struct dirent *at; *count < CACHE_FILES_MAX && (at = readdir(stream)) != NULL;) {
        struct stat found;
        if (!is_cache_name(at->d_name) ||
            fstatat(dirfd(stream), at->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (*count == capacity && !grow(files, &capacity))
            return tci_error_set(err, TC_E_NO_MEMORY, "out of memory at %zu files", *count);
        tci_cache_file *file = &(*files)[(*count)++];
        memcpy(file->name, at->d_name, sizeof file->name);
        file->temporary = strcmp(at->d_name + NAME_DIGITS, ".tmp") == 0;
        file->regular = S_ISREG(found.st_mode);
        file->bytes = file->regular ? (uint64_t)found.st_size : 0;
        file->used = found.st_mtim;
    }
    return TC_OK;
}

tc_status tci_cache_files_list(int folder, tci_cache_file **files_out, size_t *count_out,
                               tc_error *err)
{
    tci_cache_file *files = NULL;
    size_t count = 0;
    /* Opens a descriptor of its own, as reading moves the position in the folder. */
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (stream == NULL) {
        int failure = errno;
        if (fd >= 0)
            (void)close(fd);
        return tci_error_errno(err, TC_E_IO, failure, "the folder cannot be read");
    }
    tc_status status = list_stream(stream, &files, &count, err);
    (void)closedir(stream);
    if (status != TC_OK) {
        free(files);
        return status;
    }
    if (count > 0)
        qsort(files, count, sizeof *files, by_last_use);
    *files_out = files;
    *count_out = count;
    return TC_OK;
}
