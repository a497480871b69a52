#include "modules/ucx/ucx_shared_memory.h"

#include "base/error_text.h"
#include "base/logger.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NAME_START "ucx_shm_posix_"
#define FILE_MODE 0600u
/* KiB that a context takes there (ucx_transports.c); UCX 1.16 and newer have longer queues. */
#define CONTEXT_KB 560u
#define CONTEXT_KB_MAX 2300u

static const char *folder_name(void)
{
    const char *set = secure_getenv("UCX_POSIX_DIR");
    return set != NULL && *set != '\0' ? set : "/dev/shm";
}

/* --- leftover files ---------------------------------------------------------------------- */

/* The kernel gives a write lease for a file that no other process has open or mapped. A process
 * that opens it meanwhile makes the kernel send a signal, which is ignored unless the program
 * handles it. */
static bool nobody_uses(int fd)
{
    return fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
}

static bool may_be_left(int folder, const char *name, struct stat *about_out)
{
    return strncmp(name, NAME_START, strlen(NAME_START)) == 0 &&
           fstatat(folder, name, about_out, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(about_out->st_mode) && (about_out->st_mode & 07777u) == FILE_MODE &&
           about_out->st_uid == geteuid();
}

static bool remove_left(int folder, const char *name)
{
    struct stat about;
    bool removed = false;
    if (!may_be_left(folder, name, &about))
        return false;
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (nobody_uses(fd))
        removed = unlinkat(folder, name, 0) == 0;
    (void)close(fd);
    return removed;
}

void tci_ucx_shared_memory_sweep(void)
{
    unsigned removed = 0;
    DIR *folder = opendir(folder_name());
    if (folder == NULL)
        return;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        removed += remove_left(dirfd(folder), entry->d_name);
    (void)closedir(folder);
    if (removed > 0)
        TC_LOG(TC_LOG_INFO, "%s: removed %u of UCX's files that killed processes had left",
               folder_name(), removed);
}

/* --- missing space ----------------------------------------------------------------------- */

static tc_status explain(tc_error *err, ucs_status_t status, const char *found)
{
    tc_status mapped = tci_ucx_error(NULL, status, "");
    return tci_error_set(err, mapped,
                         "UCX start: %s: %s %s, expected %u to %u KB free for each context. "
                         "Enlarge it (docker run --shm-size=1g), or let UCX_POSIX_DIR name a "
                         "folder with room for this and its peers",
                         ucs_status_string(status), folder_name(), found, CONTEXT_KB,
                         CONTEXT_KB_MAX);
}

bool tci_ucx_shared_memory_is_usable(void)
{
    return access(folder_name(), W_OK) == 0;
}

tc_status tci_ucx_shared_memory_error(tc_error *err, ucs_status_t status)
{
    struct statvfs about;
    char found[64];
    if (statvfs(folder_name(), &about) != 0)
        return explain(err, status, errno == ENOENT ? "is not there" : "cannot be asked");
    if (!tci_ucx_shared_memory_is_usable())
        return explain(err, status, "cannot be written");
    uint64_t free_kb = (uint64_t)about.f_bavail * about.f_frsize >> 10;
    if (free_kb >= CONTEXT_KB_MAX)
        return tci_ucx_error(err, status, "UCX start");
    (void)snprintf(found, sizeof found, "has %llu KB", (unsigned long long)free_kb);
    return explain(err, status, found);
}
