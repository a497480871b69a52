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

/* --- which calls -------------------------------------------------------------------------- */

/* In numbers of this architecture; another one's calls, and the 32-bit ones of this, are none
 * of these and are no calls of it. */
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

/* Files, and what is asked about them; limits; names. */
static const int refused[] = {
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

typedef enum test_kind {
    NO_TEST,
    IS,   /* the argument is the value */
    HAS,  /* it has all bits of the value */
    LACKS /* it has none of them */
} test_kind;

typedef struct test {
    test_kind kind;
    unsigned argument; /* its lower half: descriptors and flags have no other */
    uint32_t value;
} test;

/* Allowed when both tests hold. */
typedef struct rule {
    int call;
    test tests[2];
    uint32_t otherwise;
} rule;

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define END SECCOMP_RET_KILL_PROCESS

/* --- the program -------------------------------------------------------------------------- */

/* Lower halves come first on both architectures. */
static void add_test(tci_syscall_filter *f, const test *t, uint32_t otherwise)
{
    tci_syscall_filter_load(f, offsetof(struct seccomp_data, args) +
                                   t->argument * sizeof(uint64_t));
    switch (t->kind) {
    case NO_TEST:
        break;
    case IS:
        tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, t->value);
        break;
    case HAS:
        tci_syscall_filter_add(f, BPF_ALU | BPF_AND | BPF_K, 0, 0, t->value);
        tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, t->value);
        break;
    case LACKS:
        tci_syscall_filter_add(f, BPF_JMP | BPF_JSET | BPF_K, 0, 1, t->value);
        break;
    }
    tci_syscall_filter_answer(f, otherwise);
}

static void add_rule(tci_syscall_filter *f, const rule *r)
{
    size_t jump = f->size;
    tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (uint32_t)r->call);
    for (size_t i = 0; i < COUNT(r->tests); i++) {
        if (r->tests[i].kind != NO_TEST)
            add_test(f, &r->tests[i], r->otherwise);
    }
    tci_syscall_filter_answer(f, SECCOMP_RET_ALLOW);
    if (f->size <= TCI_SYSCALL_FILTER_MAX)
        f->code[jump].jf = (uint8_t)(f->size - jump - 1);
}

static void add_rules(tci_syscall_filter *f, int socket, int statm)
{
    const rule rules[] = {
        /* No file, and nothing that runs. */
        {SYS_mmap, {{HAS, 3, MAP_ANONYMOUS}, {LACKS, 2, PROT_EXEC}}, END},
        {SYS_mprotect, {{LACKS, 2, PROT_EXEC}}, END},
        {SYS_recvfrom, {{IS, 0, (uint32_t)socket}}, END},
        {SYS_sendto, {{IS, 0, (uint32_t)socket}}, END},
        {SYS_pread64, {{IS, 0, (uint32_t)statm}}, REFUSE},
        {SYS_write, {{IS, 0, STDERR_FILENO}}, REFUSE},
        {SYS_writev, {{IS, 0, STDERR_FILENO}}, REFUSE},
        /* abort(). */
        {SYS_tgkill, {{IS, 0, (uint32_t)getpid()}, {IS, 2, SIGABRT}}, END},
    };
    for (size_t i = 0; i < COUNT(rules); i++)
        add_rule(f, &rules[i]);
}

static void write_filter(tci_syscall_filter *f, int socket, int statm)
{
    tci_syscall_filter_begin(f);
    tci_syscall_filter_calls(f, allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
    tci_syscall_filter_calls(f, refused, COUNT(refused), REFUSE);
    add_rules(f, socket, statm);
    tci_syscall_filter_answer(f, END);
}

/* Sanitizers map, read, and start what they like. */
int tci_compile_filter_set(int socket, int statm)
{
    static tci_syscall_filter filter;
    write_filter(&filter, socket, statm);
    if (TCI_SANITIZED)
        return EOPNOTSUPP;
    long result = tci_syscall_filter_set(&filter, 0);
    return result == 0 ? 0 : result > 0 ? EBUSY : errno;
}
