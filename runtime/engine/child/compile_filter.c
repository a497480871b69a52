/* The filter consists of calls that are allowed, calls that are allowed with certain arguments,
 * and calls that fail with EPERM. It kills the process at any other call. */
#include "compile_filter.h"

#include "base/sanitized.h"
#include "base/syscall_filter.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- calls -------------------------------------------------------------------------------- */

/* System-call numbers of the native architecture. Calls of other ABIs (also 32-bit) are
 * killed. */
static const int allowed[] = {
    SYS_futex,        SYS_munmap,       SYS_mremap,
    SYS_brk,          SYS_madvise,      SYS_sysinfo,
    SYS_exit,         SYS_exit_group,   SYS_restart_syscall,
    SYS_rt_sigreturn, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_getpid,       SYS_gettid,       SYS_clock_gettime,
    SYS_gettimeofday, SYS_ppoll,        SYS_sched_yield,
    SYS_getrandom,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

/* Files and their properties; limits; names; and the uses that add_rules does not allow of the
 * calls that it knows. */
static const int refused[] = {
    SYS_pread64,
    SYS_write,
    SYS_writev,
    SYS_openat,
    SYS_read,
    SYS_close,
    SYS_lseek,
    SYS_ioctl,
    SYS_fcntl,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_getdents64,
    SYS_uname,
    SYS_prctl,
    SYS_prlimit64,
    SYS_getrlimit,
    SYS_getrusage,
    SYS_sigaltstack,
    SYS_sched_getaffinity,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getppid,
    SYS_rseq,
    SYS_set_robust_list,
#ifdef SYS_open
    SYS_open,
#endif
#ifdef SYS_stat
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
#endif
};

#define IS TCI_SYSCALL_IS
#define HAS TCI_SYSCALL_HAS
#define LACKS TCI_SYSCALL_LACKS
#define LOWER(argument) TCI_SYSCALL_LOWER(argument)

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define END SECCOMP_RET_KILL_PROCESS

/* --- the program -------------------------------------------------------------------------- */

static void add_rules(tci_syscall_filter *f, int socket, int statm)
{
    const uint32_t allow = SECCOMP_RET_ALLOW;
    const tci_syscall_rule rules[] = {
        /* No file, and no executable memory. */
        {SYS_mmap, allow, {{HAS, LOWER(3), MAP_ANONYMOUS}, {LACKS, LOWER(2), PROT_EXEC}}},
        {SYS_mprotect, allow, {{LACKS, LOWER(2), PROT_EXEC}}},
        {SYS_recvfrom, allow, {{IS, LOWER(0), (uint32_t)socket}}},
        {SYS_sendto, allow, {{IS, LOWER(0), (uint32_t)socket}}},
        {SYS_pread64, allow, {{IS, LOWER(0), (uint32_t)statm}}},
        {SYS_write, allow, {{IS, LOWER(0), STDERR_FILENO}}},
        {SYS_writev, allow, {{IS, LOWER(0), STDERR_FILENO}}},
        /* abort(). */
        {SYS_tgkill, allow, {{IS, LOWER(0), (uint32_t)getpid()}, {IS, LOWER(2), SIGABRT}}},
    };
    tci_syscall_filter_rules(f, rules, COUNT(rules));
}

static void write_filter(tci_syscall_filter *f, int socket, int statm)
{
    tci_syscall_filter_begin(f);
    tci_syscall_filter_calls(f, allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
    add_rules(f, socket, statm);
    tci_syscall_filter_calls(f, refused, COUNT(refused), REFUSE);
    tci_syscall_filter_answer(f, END);
}

/* Sets no filter under sanitizers, which map, read, and start files of their own. */
int tci_compile_filter_set(int socket, int statm)
{
    static tci_syscall_filter filter;
    write_filter(&filter, socket, statm);
    if (TCI_SANITIZED)
        return EOPNOTSUPP;
    long result = tci_syscall_filter_set(&filter, 0);
    return result == 0 ? 0 : result > 0 ? EBUSY : errno;
}
