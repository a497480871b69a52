/* The tables of allowed calls and arguments, and the filter program made from them. */
#include "node_filter.h"

#include "base/landlock.h"
#include "base/sanitized.h"
#include "base/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Later calls have not been reviewed and fail with ENOSYS; the C library works without them. */
#define LAST_CALL SYS_futex_waitv

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)
#define ASK SECCOMP_RET_USER_NOTIF

/* --- calls -------------------------------------------------------------------------------- */

/* These calls read, wait, count, and change only the process's own state: memory, threads,
 * descriptors, and files that are open for that. No call here takes the number of another
 * process, a name by which it changes something, or an address that bytes are sent to. */
static const int allowed[] = {
    /* contents of open files */
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_lseek,
    SYS_sendfile,
    SYS_copy_file_range,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fsync,
    SYS_fdatasync,
    SYS_fadvise64,
    SYS_readahead,
    SYS_getdents64,
    /* descriptors */
    SYS_close,
    SYS_close_range,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_eventfd2,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_timerfd_gettime,
    SYS_signalfd4,
    SYS_memfd_create,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_ppoll,
    SYS_pselect6,
    /* existence and attributes of files */
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_umask,
    /* existing connections, and those that wait at the listener */
    SYS_accept,
    SYS_accept4,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_shutdown,
    SYS_getsockname,
    SYS_getpeername,
    SYS_getsockopt,
    /* memory */
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_msync,
    SYS_mincore,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_mlockall,
    SYS_munlockall,
    SYS_membarrier,
    SYS_shmdt,
    SYS_mbind,
    SYS_get_mempolicy,
    SYS_set_mempolicy,
    SYS_pkey_alloc,
    SYS_pkey_free,
    /* threads */
    SYS_futex,
    SYS_futex_waitv,
    SYS_exit,
    SYS_exit_group,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_sched_yield,
    SYS_getcpu,
    SYS_restart_syscall,
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_sched_getattr,
    SYS_sched_rr_get_interval,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_getpriority,
    SYS_ioprio_get,
    SYS_wait4,
    SYS_waitid,
    /* signals of the process itself */
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_sigaltstack,
    /* time */
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_times,
    SYS_getitimer,
    SYS_setitimer,
    SYS_timer_create,
    SYS_timer_settime,
    SYS_timer_gettime,
    SYS_timer_getoverrun,
    SYS_timer_delete,
    /* identity and environment of the process */
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getpgid,
    SYS_getsid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_capget,
    SYS_getrlimit,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_uname,
    SYS_getrandom,
#ifdef SYS_open /* newer architectures have only the newer calls */
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_getdents,
    SYS_dup2,
    SYS_pipe,
    SYS_eventfd,
    SYS_signalfd,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_poll,
    SYS_select,
    SYS_alarm,
    SYS_pause,
    SYS_time,
    SYS_getpgrp,
    SYS_arch_prctl,
#endif
};

/* These calls are decided by the warden, as names are in memory that other threads change. */
static const int asked[] = {
    SYS_openat, SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_mkdirat,
#ifdef SYS_open
    SYS_open,   SYS_creat,    SYS_unlink,   SYS_rename,    SYS_mkdir,   SYS_rmdir,
#endif
};

/* Calls that send the filter's own descriptor to the warden and close the filter: allowed until
 * node_filter_close. */
static const int handing_over[] = {SYS_sendmsg, SYS_seccomp};

/* The C library has older calls for the same purposes. */
static const int unknown[] = {SYS_clone3, SYS_openat2};

/* --- arguments ---------------------------------------------------------------------------- */

#define IS(argument, value)                                                                    \
    {                                                                                          \
        TCI_SYSCALL_IS, TCI_SYSCALL_LOWER(argument), (uint32_t)(value)                         \
    }
#define HAS(argument, value)                                                                   \
    {                                                                                          \
        TCI_SYSCALL_HAS, TCI_SYSCALL_LOWER(argument), (uint32_t)(value)                        \
    }
#define LACKS(argument, value)                                                                 \
    {                                                                                          \
        TCI_SYSCALL_LACKS, TCI_SYSCALL_LOWER(argument), (uint32_t)(value)                      \
    }
#define IS_NULL(argument)                                                                      \
    IS(argument, 0),                                                                           \
    {                                                                                          \
        TCI_SYSCALL_IS, TCI_SYSCALL_UPPER(argument), 0                                         \
    }

#define PR_NAME_MEMORY 0x53564d41 /* PR_SET_VMA: malloc names its memory */
#define GET_TERMINAL 0x802c542a   /* TCGETS2, used by newer C libraries */
#define NEW_NAMESPACES                                                                         \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
     CLONE_NEWPID | CLONE_NEWNET)
/* Sends SIGIO to the process named by F_SETOWN or FIOSETOWN, which are both refused. */
#define SENDS_SIGNALS O_ASYNC

static const tci_syscall_rule rules[] = {
    /* Sends to the other end of a connection. An address is judged only by the warden, which
     * can read memory: UCX wakes a sleeping peer by one byte. */
    {SYS_sendto, ALLOW, {IS_NULL(4), LACKS(3, MSG_FASTOPEN)}},
    {SYS_sendto, ASK, {IS(2, 1), IS(3, 0), IS(5, NODE_FILTER_WAKE_ADDRESS_BYTES)}},
    {SYS_setsockopt, ALLOW, {IS(1, IPPROTO_TCP), IS(2, TCP_NODELAY)}},
    {SYS_setsockopt, ALLOW, {IS(1, IPPROTO_TCP), IS(2, TCP_KEEPIDLE)}},
    {SYS_setsockopt, ALLOW, {IS(1, IPPROTO_TCP), IS(2, TCP_KEEPINTVL)}},
    {SYS_setsockopt, ALLOW, {IS(1, IPPROTO_TCP), IS(2, TCP_KEEPCNT)}},
    {SYS_setsockopt, ALLOW, {IS(1, SOL_SOCKET), IS(2, SO_KEEPALIVE)}},
    {SYS_setsockopt, ALLOW, {IS(1, SOL_SOCKET), IS(2, SO_SNDBUF)}},
    {SYS_setsockopt, ALLOW, {IS(1, SOL_SOCKET), IS(2, SO_RCVBUF)}},
    /* Descriptors, and locks of files. */
    {SYS_fcntl, ALLOW, {IS(1, F_DUPFD)}},
    {SYS_fcntl, ALLOW, {IS(1, F_DUPFD_CLOEXEC)}},
    {SYS_fcntl, ALLOW, {IS(1, F_GETFD)}},
    {SYS_fcntl, ALLOW, {IS(1, F_SETFD)}},
    {SYS_fcntl, ALLOW, {IS(1, F_GETFL)}},
    {SYS_fcntl, ALLOW, {IS(1, F_SETFL), LACKS(2, SENDS_SIGNALS)}},
    {SYS_fcntl, ALLOW, {IS(1, F_GETLK)}},
    {SYS_fcntl, ALLOW, {IS(1, F_SETLK)}},
    {SYS_fcntl, ALLOW, {IS(1, F_SETLKW)}},
    {SYS_fcntl, ALLOW, {IS(1, F_ADD_SEALS)}},
    {SYS_fcntl, ALLOW, {IS(1, F_GET_SEALS)}},
    {SYS_ioctl, ALLOW, {IS(1, FIONREAD)}},
    {SYS_ioctl, ALLOW, {IS(1, FIONBIO)}},
    {SYS_ioctl, ALLOW, {IS(1, FIOCLEX)}},
    {SYS_ioctl, ALLOW, {IS(1, FIONCLEX)}},
    {SYS_ioctl, ALLOW, {IS(1, TCGETS)}},
    {SYS_ioctl, ALLOW, {IS(1, GET_TERMINAL)}},
    {SYS_ioctl, ALLOW, {IS(1, TIOCGWINSZ)}},
    /* Linked code is written first and made executable later, as the library does it. */
    {SYS_mmap, ALLOW, {LACKS(2, PROT_EXEC)}},
    {SYS_mmap, ALLOW, {LACKS(2, PROT_WRITE)}},
    {SYS_mprotect, ALLOW, {LACKS(2, PROT_EXEC)}},
    {SYS_mprotect, ALLOW, {LACKS(2, PROT_WRITE)}},
    {SYS_pkey_mprotect, ALLOW, {LACKS(2, PROT_EXEC)}},
    {SYS_pkey_mprotect, ALLOW, {LACKS(2, PROT_WRITE)}},
    /* Segments without a key. */
    {SYS_shmget, ALLOW, {IS(0, IPC_PRIVATE)}},
    {SYS_shmctl, ALLOW, {IS(1, IPC_STAT)}},
    {SYS_shmctl, ASK, {IS(1, IPC_RMID)}},
    {SYS_shmat, ASK, {LACKS(2, SHM_EXEC)}},
    /* Threads, and no processes. */
    {SYS_clone, ALLOW, {HAS(0, CLONE_THREAD), LACKS(0, NEW_NAMESPACES)}},
    {SYS_sched_setaffinity, ALLOW, {IS(0, 0)}},
    {SYS_sched_setscheduler, ALLOW, {IS(0, 0)}},
    {SYS_sched_setparam, ALLOW, {IS(0, 0)}},
    {SYS_sched_setattr, ALLOW, {IS(0, 0)}},
    {SYS_setpriority, ALLOW, {IS(0, PRIO_PROCESS), IS(1, 0)}},
    {SYS_ioprio_set, ALLOW, {IS(0, 1 /* IOPRIO_WHO_PROCESS */), IS(1, 0)}},
    {SYS_prctl, ALLOW, {IS(0, PR_SET_NAME)}},
    {SYS_prctl, ALLOW, {IS(0, PR_GET_NAME)}},
    {SYS_prctl, ALLOW, {IS(0, PR_NAME_MEMORY)}},
    {SYS_prlimit64, ALLOW, {IS(0, 0), IS_NULL(2)}},
    /* Signal 0 checks whether a peer lives; compilers are killed by their descriptors. */
    {SYS_kill, ALLOW, {IS(1, 0)}},
    {SYS_pidfd_send_signal, ASK, {IS(1, SIGKILL)}},
};

/* Adds the rules that name this process by its number. */
static void add_own_rules(tci_syscall_filter *f)
{
    const uint32_t own = (uint32_t)getpid();
    const tci_syscall_rule own_rules[] = {
        {SYS_kill, ALLOW, {IS(0, own)}},
        {SYS_tgkill, ALLOW, {IS(0, own)}},
        {SYS_prlimit64, ALLOW, {IS(0, own), IS_NULL(2)}},
        {SYS_sched_setaffinity, ALLOW, {IS(0, own)}},
    };
    tci_syscall_filter_rules(f, own_rules, COUNT(own_rules));
}

/* --- the program -------------------------------------------------------------------------- */

static tci_syscall_filter filter;

static void write_filter(tci_syscall_filter *f)
{
    tci_syscall_filter_begin(f);
    tci_syscall_filter_rules(f, rules, COUNT(rules));
    add_own_rules(f);
    tci_syscall_filter_calls(f, allowed, COUNT(allowed), ALLOW);
    tci_syscall_filter_calls(f, asked, COUNT(asked), ASK);
    tci_syscall_filter_calls(f, handing_over, COUNT(handing_over), ALLOW);
    tci_syscall_filter_calls(f, unknown, COUNT(unknown), UNKNOWN);
    tci_syscall_filter_add(f, BPF_JMP | BPF_JGT | BPF_K, 0, 1, LAST_CALL);
    tci_syscall_filter_answer(f, UNKNOWN);
    tci_syscall_filter_answer(f, REFUSE);
}

static int set(unsigned flags)
{
    return (int)tci_syscall_filter_set(&filter, flags | SECCOMP_FILTER_FLAG_TSYNC_ESRCH);
}

int node_filter_set(void)
{
    write_filter(&filter);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return set(SECCOMP_FILTER_FLAG_NEW_LISTENER);
}

/* Adds a second filter: a call is refused if one of the two refuses it. */
int node_filter_close(void)
{
    tci_syscall_filter_begin(&filter);
    tci_syscall_filter_calls(&filter, handing_over, COUNT(handing_over), REFUSE);
    tci_syscall_filter_answer(&filter, ALLOW);
    return set(0);
}

bool node_filter_bearable(void)
{
    return !TCI_SANITIZED;
}

int node_filter_scope(void)
{
    const tci_landlock_rules others = {.network = TCI_LANDLOCK_CONNECT_TCP,
                                       .scopes = TCI_LANDLOCK_ABSTRACT_SOCKETS |
                                                 TCI_LANDLOCK_SIGNALS};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    errno = tci_landlock_forbid(others);
    return errno == 0 || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? 0 : -1;
}
