#include "file_replacement.h"

#include "full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SUFFIX_BYTES 32u
#define DRAWS 8 /* one is enough, unless somebody knows the numbers in advance */

/* `name` holds the path, with space for a suffix behind it. */
static int create_beside(char *name, size_t path_length)
{
    uint64_t drawn;
    int fd = -1;
    for (int i = 0; i < DRAWS && fd < 0; i++) {
        if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
            return -1;
        (void)snprintf(name + path_length, SUFFIX_BYTES, ".%016" PRIx64 ".tmp", drawn);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

static bool write_and_move(int fd, const char *name, const char *path, const void *bytes,
                           size_t size)
{
    bool ok = tci_full_io_write(fd, bytes, size);
    int failure = errno;
    if (close(fd) != 0 && ok) { /* network file systems report here that a disk is full */
        ok = false;
        failure = errno;
    }
    if (ok && rename(name, path) == 0)
        return true;
    if (ok)
        failure = errno;
    (void)unlink(name);
    errno = failure;
    return false;
}

bool tci_file_replacement_write(const char *path, const void *bytes, size_t size)
{
    size_t length = strlen(path);
    char *name = malloc(length + SUFFIX_BYTES);
    if (name == NULL)
        return false;
    memcpy(name, path, length);
    int fd = create_beside(name, length);
    bool ok = fd >= 0 && write_and_move(fd, name, path, bytes, size);
    int failure = errno;
    free(name);
    errno = failure;
    return ok;
}
