#include "modules/ucx/ucx_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define NUMBER_BITS 30u
#define NUMBER_MASK ((1ull << NUMBER_BITS) - 1)
#define PATH_BYTES 64u

static void write_path(uint64_t id, char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "/proc/%d/fd/%d", (int)(id & NUMBER_MASK),
                   (int)((id >> NUMBER_BITS) & NUMBER_MASK));
}

bool tci_ucx_posix_is_of(uint64_t id, pid_t pid)
{
    return (id & TCI_UCX_POSIX_BY_PROC) != 0 && (id & NUMBER_MASK) == (uint64_t)pid;
}

/* Opens the file by its path where Landlock hides the descriptors of other processes. In a
 * confined tc-node the process that opens files does that, for files of this kind alone. */
static int open_hidden(const char *path)
{
    return errno == EACCES ? open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
}

bool tci_ucx_posix_opens(uint64_t id)
{
    char path[PATH_BYTES];
    write_path(id, path);
    if (access(path, R_OK | W_OK) == 0)
        return true;
    int fd = open_hidden(path);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

bool tci_ucx_posix_look(uint64_t id, struct stat *about_out)
{
    char path[PATH_BYTES];
    write_path(id, path);
    if (stat(path, about_out) == 0)
        return true;
    int fd = open_hidden(path);
    bool found = fd >= 0 && fstat(fd, about_out) == 0;
    if (fd >= 0)
        (void)close(fd);
    return found;
}
