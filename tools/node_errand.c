/* Reads such a call from the kernel's notification, checks the object that it names, and makes
 * the call for the node. */
#include "node_errand.h"

#include <ctype.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define GOES_WITH_LAST_PROCESS                                                                 \
    01000 /* SHM_DEST, which Linux's header has and the C library's has not */

int node_errand_read(const struct seccomp_data *call, pid_t caller, pid_t node,
                     node_errand *errand_out)
{
    node_errand errand = {.node = node, .first = call->args[0]};
    switch (call->nr) {
    case SYS_sendto: {
        struct iovec here = {errand.address, sizeof errand.address};
        struct iovec there = {(void *)(uintptr_t)call->args[4], sizeof errand.address};
        if (process_vm_readv(caller, &here, 1, &there, 1, 0) != (ssize_t)sizeof errand.address)
            return EFAULT;
        errand.call = call->nr;
        break;
    }
    case SYS_shmctl:
    case SYS_shmat:
    case SYS_pidfd_send_signal:
        errand.call = call->nr;
        break;
    default:
        break;
    }
    *errand_out = errand;
    return 0;
}

/* --- waking ------------------------------------------------------------------------------- */

/* Returns whether the kernel chose the name: five digits, for a socket bound without one
 * (unix(7)). */
static bool is_numbered(const struct sockaddr_un *address)
{
    bool is = address->sun_family == AF_UNIX && address->sun_path[0] == '\0';
    for (size_t i = 1;
         i < NODE_FILTER_WAKE_ADDRESS_BYTES - offsetof(struct sockaddr_un, sun_path); i++)
        is = is && isxdigit((unsigned char)address->sun_path[i]);
    return is;
}

static void wake(const node_errand *errand, node_errand_end *end)
{
    static int waker = -1;
    struct sockaddr_un address = {0};
    memcpy(&address, errand->address, sizeof errand->address);
    if (!is_numbered(&address)) {
        end->problem = EPERM;
        return;
    }
    if (waker < 0)
        waker = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    end->result = sendto(waker, "", 1, MSG_NOSIGNAL, (const struct sockaddr *)&address,
                         NODE_FILTER_WAKE_ADDRESS_BYTES);
    end->problem = end->result < 0 ? errno : 0;
}

/* --- segments ----------------------------------------------------------------------------- */

static int number_of(const node_errand *errand)
{
    return (int)(uint32_t)errand->first;
}

static void remove_segment(const node_errand *errand, node_errand_end *end)
{
    struct shmid_ds about;
    if (shmctl(number_of(errand), IPC_STAT, &about) != 0)
        end->problem = errno;
    else if (about.shm_cpid != errand->node)
        end->problem = EPERM;
    else if (shmctl(number_of(errand), IPC_RMID, NULL) != 0)
        end->problem = errno;
}

/* Between the check and the call, the number can only get another meaning if the user makes
 * 32768 segments. */
static void attach_segment(const node_errand *errand, node_errand_end *end)
{
    struct shmid_ds about;
    if (shmctl(number_of(errand), IPC_STAT, &about) != 0)
        end->problem = errno;
    else if (about.shm_cpid != errand->node &&
             (about.shm_perm.mode & GOES_WITH_LAST_PROCESS) == 0)
        end->problem = EPERM;
    else
        end->goes_on = true;
}

/* --- compilers ---------------------------------------------------------------------------- */

/* Returns the number after `key` at the beginning of a line; 0 if there is none. */
static pid_t number_behind(const char *path, const char *key)
{
    char line[256];
    const size_t size = strlen(key);
    long number = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    while (number == 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, size) == 0)
            number = strtol(line + size, NULL, 10);
    }
    (void)fclose(file);
    return number > 0 ? (pid_t)number : 0;
}

/* Searches the list of the node's first thread, which also has processes that /proc hides from
 * processes that may not trace them. */
static bool is_listed(pid_t node, pid_t pid)
{
    char path[64];
    long found = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)node, (int)node);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (found != pid && fscanf(file, "%ld", &found) == 1)
        ;
    (void)fclose(file);
    return found == pid;
}

static bool is_child(pid_t node, pid_t pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    return number_behind(path, "PPid:") == node || is_listed(node, pid);
}

/* Opens a descriptor first, which denotes one process for good, and checks the parent of that
 * process after that. */
static void end_compiler(const node_errand *errand, node_errand_end *end)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)errand->node,
                   number_of(errand));
    pid_t pid = number_behind(path, "Pid:");
    int compiler = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (compiler < 0) {
        end->problem = pid > 0 ? errno : EBADF;
        return;
    }
    if (pid == getpid() || !is_child(errand->node, pid))
        end->problem = EPERM;
    else if (syscall(SYS_pidfd_send_signal, compiler, SIGKILL, NULL, 0) != 0)
        end->problem = errno;
    (void)close(compiler);
}

void node_errand_do(const node_errand *errand, node_errand_end *end_out)
{
    *end_out = (node_errand_end){0};
    switch (errand->call) {
    case SYS_sendto:
        wake(errand, end_out);
        break;
    case SYS_shmctl:
        remove_segment(errand, end_out);
        break;
    case SYS_shmat:
        attach_segment(errand, end_out);
        break;
    default:
        end_compiler(errand, end_out);
    }
}
