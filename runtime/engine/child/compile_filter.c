#include "compile_filter.h"

#include "base/arch.h"
#include "base/sanitized.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INSTRUCTIONS_MAX 256
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

typedef struct program {
    struct sock_filter code[INSTRUCTIONS_MAX];
    size_t size;
} program;

static void add(program *p, uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t value)
{
    if (p->size < INSTRUCTIONS_MAX)
        p->code[p->size] = (struct sock_filter){code, if_true, if_false, value};
    p->size++;
}

static void load(program *p, size_t offset)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static void answer(program *p, uint32_t verdict)
{
    add(p, BPF_RET | BPF_K, 0, 0, verdict);
}

static void add_calls(program *p, const int *calls, size_t count, uint32_t verdict)
{
    for (size_t i = 0; i < count; i++) {
        add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)calls[i]);
        answer(p, verdict);
    }
}

/* Lower halves come first on both architectures. */
static void add_test(program *p, const test *t, uint32_t otherwise)
{
    load(p, offsetof(struct seccomp_data, args) + t->argument * sizeof(uint64_t));
    switch (t->kind) {
    case NO_TEST:
        break;
    case IS:
        add(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, t->value);
        break;
    case HAS:
        add(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, t->value);
        add(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, t->value);
        break;
    case LACKS:
        add(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, t->value);
        break;
    }
    answer(p, otherwise);
}

static void add_rule(program *p, const rule *r)
{
    size_t jump = p->size;
    add(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (uint32_t)r->call);
    for (size_t i = 0; i < COUNT(r->tests); i++) {
        if (r->tests[i].kind != NO_TEST)
            add_test(p, &r->tests[i], r->otherwise);
    }
    answer(p, SECCOMP_RET_ALLOW);
    if (p->size <= INSTRUCTIONS_MAX)
        p->code[jump].jf = (uint8_t)(p->size - jump - 1);
}

static void add_rules(program *p, int socket, int statm)
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
        add_rule(p, &rules[i]);
}

static void write_program(program *p, int socket, int statm)
{
    load(p, offsetof(struct seccomp_data, arch));
    add(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, TCI_ARCH_AUDIT);
    answer(p, END);
    load(p, offsetof(struct seccomp_data, nr));
    add_calls(p, allowed, COUNT(allowed), SECCOMP_RET_ALLOW);
    add_calls(p, refused, COUNT(refused), REFUSE);
    add_rules(p, socket, statm);
    answer(p, END);
}

/* Sanitizers map, read, and start what they like. */
int tci_compile_filter_set(int socket, int statm)
{
    static program p;
    p.size = 0;
    write_program(&p, socket, statm);
    if (p.size > INSTRUCTIONS_MAX)
        return E2BIG;
    if (TCI_SANITIZED)
        return EOPNOTSUPP;
    const struct sock_fprog filter = {.len = (unsigned short)p.size, .filter = p.code};
    long result =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return result == 0 ? 0 : result > 0 ? EBUSY : errno;
}
