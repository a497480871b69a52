#include "perf_map.h"

#include "base/logger.h"
#include "code_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int map_fd = -1;
static pid_t owner;

static int create(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);
}

/* A process of this user that had the same number has left it. What others own stays: the
 * folder's sticky bit keeps it from being removed, too. */
static void remove_old(const char *path)
{
    struct stat found;
    if (lstat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid())
        (void)unlink(path);
}

static void write_line(int fd, const tci_code_symbol *symbol)
{
    char line[64 + TCI_CODE_MAP_NAME];
    int n = snprintf(line, sizeof line, "%" PRIxPTR " %zx %.*s\n", symbol->address,
                     symbol->size, TCI_CODE_MAP_NAME - 1, symbol->name);
    /* One write: a reader never sees half a line, and no other can do better without room. */
    if (write(fd, line, (size_t)n) != n)
        TC_LOG(TC_LOG_DEBUG, "perf map: '%s' could not be written", symbol->name);
}

static void write_known(void *user, const tci_code_symbol *symbol)
{
    write_line(*(const int *)user, symbol);
}

void tci_perf_map_open(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    char path[64];
    pthread_mutex_lock(&lock);
    if (atomic_load(&map_fd) < 0) {
        (void)snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
        int fd = create(path);
        if (fd < 0 && errno == EEXIST) {
            remove_old(path);
            fd = create(path);
        }
        if (fd < 0)
            TC_LOG(TC_LOG_WARN, "perf map %s: %s", path, strerror(errno));
        owner = getpid();
        /* A name that is added meanwhile may come twice, which perf does not mind. */
        atomic_store(&map_fd, fd);
        if (fd >= 0)
            tci_code_map_visit(write_known, &fd);
    }
    pthread_mutex_unlock(&lock);
}

void tci_perf_map_write(const tci_code_symbol *symbol)
{
    int fd = atomic_load_explicit(&map_fd, memory_order_acquire);
    if (fd >= 0 && getpid() == owner)
        write_line(fd, symbol);
}
