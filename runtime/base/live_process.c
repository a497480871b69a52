#include "live_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STAT_BYTES 1024u

/* The fields of /proc/PID/stat that are used here. */
typedef struct process_stat {
    char state;
    int threads;
    uint64_t started;
} process_stat;

/* The second field, the program's name, is in parentheses and may contain anything. The
 * following ones are separated by blanks; behind the state (3) they are numbers. */
static bool parse_stat(const char *text, process_stat *stat_out)
{
    const char *name_end = strrchr(text, ')');
    return name_end != NULL &&
           sscanf(name_end + 1,
                  " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*d "
                  "%" SCNu64,
                  &stat_out->state, &stat_out->threads, &stat_out->started) == 3;
}

static bool read_stat(pid_t pid, process_stat *stat_out)
{
    char text[STAT_BYTES];
    (void)snprintf(text, sizeof text, "/proc/%d/stat", (int)pid);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[n > 0 ? n : 0] = '\0';
    return parse_stat(text, stat_out);
}

tci_live_process tci_live_process_find(pid_t pid)
{
    process_stat stat;
    return (tci_live_process){.pid = pid,
                              .started = pid > 0 && read_stat(pid, &stat) ? stat.started : 0};
}

/* A process whose first thread has ended shows as a zombie too, while others run. */
static bool is_zombie(const process_stat *stat)
{
    return (stat->state == 'Z' || stat->state == 'X') && stat->threads <= 1;
}

bool tci_live_process_is_gone(const tci_live_process *process)
{
    /* Another user's process may not be signalled, but it lives. */
    return process->pid > 0 && kill(process->pid, 0) != 0 && errno == ESRCH;
}

bool tci_live_process_has_ended(const tci_live_process *process)
{
    process_stat stat;
    if (process->pid <= 0 || tci_live_process_is_gone(process))
        return process->pid > 0;
    if (!read_stat(process->pid, &stat))
        return false;
    return is_zombie(&stat) || (process->started != 0 && stat.started != process->started);
}
