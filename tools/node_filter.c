#include "node_filter.h"

#include "base/sanitized.h"
#include "base/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Later ones nobody has looked at; the C library does without them. */
#define LAST_CALL SYS_futex_waitv

#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)
#define ASK SECCOMP_RET_USER_NOTIF

/* --- which calls -------------------------------------------------------------------------- */

static const int asked[] = {
    SYS_openat, SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_mkdirat,
#ifdef SYS_open
    SYS_open,   SYS_creat,    SYS_unlink,   SYS_rename,    SYS_mkdir,   SYS_rmdir,
#endif
};

/* The C library has older calls for the same. */
static const int unknown[] = {SYS_clone3, SYS_openat2};

static const int refused[] = {
    /* programs and processes */
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_kcmp,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_setpgid,
    SYS_setsid,
    SYS_setrlimit,
    SYS_unshare,
    SYS_setns,
    SYS_chroot,
    SYS_pivot_root,
    SYS_personality,
    /* who it is */
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_setgroups,
    SYS_capset,
    /* sockets, and what is like one; those that wait at the listener can be accepted */
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_mq_notify,
    SYS_msgget,
    SYS_semget,
    /* files by name, beside those that are asked about */
    SYS_truncate,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mknodat,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    SYS_inotify_init1,
    /* the kernel's own things */
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_mount,
    SYS_umount2,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_open_tree,
    SYS_move_mount,
    SYS_mount_setattr,
    SYS_swapon,
    SYS_swapoff,
    SYS_reboot,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_vhangup,
    SYS_nfsservctl,
    SYS_lookup_dcookie,
    SYS_migrate_pages,
    SYS_move_pages,
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
    SYS_link,
    SYS_symlink,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_inotify_init,
    SYS_uselib,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
};

typedef enum test_kind {
    IS, /* the value */
    IS_NOT,
    HAS,  /* all of its bits */
    LACKS /* none of them */
} test_kind;

/* Of half an argument. Numbers, descriptors and flags have a lower one alone. */
#define LOWER(argument) (2 * (argument))
#define UPPER(argument) (2 * (argument) + 1)

typedef struct test {
    test_kind kind;
    unsigned half;
    uint32_t value;
} test;

/* --- the program -------------------------------------------------------------------------- */

/* The call with an argument that passes gets the verdict; any other goes on. Lower halves come
 * first on both architectures. */
static void add_test(tci_syscall_filter *f, int call, test t, uint32_t verdict)
{
    const size_t offset = offsetof(struct seccomp_data, args) + t.half * sizeof(uint32_t);
    const bool masks = t.kind == HAS;
    const uint16_t jump = BPF_JMP | BPF_K | (t.kind == LACKS ? BPF_JSET : BPF_JEQ);
    const bool passes_on_jump = t.kind == IS || t.kind == HAS;
    tci_syscall_filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, masks ? 5 : 4, (uint32_t)call);
    tci_syscall_filter_load(f, offset);
    if (masks)
        tci_syscall_filter_add(f, BPF_ALU | BPF_AND | BPF_K, 0, 0, t.value);
    tci_syscall_filter_add(f, jump, passes_on_jump ? 0 : 1, passes_on_jump ? 1 : 0, t.value);
    tci_syscall_filter_answer(f, verdict);
    tci_syscall_filter_load(f, offsetof(struct seccomp_data, nr));
}

static void add_tests(tci_syscall_filter *f)
{
    const uint32_t own = (uint32_t)getpid();
    const uint32_t both = PROT_WRITE | PROT_EXEC;
    const uint32_t vma_name = 0x53564d41; /* PR_SET_VMA: what malloc calls its memory */
    /* Threads, and no processes. */
    add_test(f, SYS_clone, (test){LACKS, LOWER(0), CLONE_THREAD}, REFUSE);
    add_test(f, SYS_mmap, (test){HAS, LOWER(2), both}, REFUSE);
    add_test(f, SYS_mprotect, (test){HAS, LOWER(2), both}, REFUSE);
    add_test(f, SYS_pkey_mprotect, (test){HAS, LOWER(2), both}, REFUSE);
    add_test(f, SYS_shmat, (test){HAS, LOWER(2), SHM_EXEC}, REFUSE);
    /* Whether a peer lives is asked by signal 0. */
    add_test(f, SYS_kill, (test){IS, LOWER(1), 0}, ALLOW);
    add_test(f, SYS_kill, (test){IS_NOT, LOWER(0), own}, REFUSE);
    add_test(f, SYS_tgkill, (test){IS_NOT, LOWER(0), own}, REFUSE);
    add_test(f, SYS_prctl, (test){IS, LOWER(0), PR_SET_NAME}, ALLOW);
    add_test(f, SYS_prctl, (test){IS, LOWER(0), PR_GET_NAME}, ALLOW);
    add_test(f, SYS_prctl, (test){IS, LOWER(0), vma_name}, ALLOW);
    add_test(f, SYS_prctl, (test){IS_NOT, LOWER(0), UINT32_MAX}, REFUSE);
    /* A new limit. */
    add_test(f, SYS_prlimit64, (test){IS_NOT, LOWER(2), 0}, REFUSE);
    add_test(f, SYS_prlimit64, (test){IS_NOT, UPPER(2), 0}, REFUSE);
    /* What writes to a terminal as if somebody typed it. */
    add_test(f, SYS_ioctl, (test){IS, LOWER(1), TIOCSTI}, REFUSE);
    add_test(f, SYS_ioctl, (test){IS, LOWER(1), 0x541c /* TIOCLINUX */}, REFUSE);
    add_test(f, SYS_fcntl, (test){IS, LOWER(1), F_SETOWN}, REFUSE);
    add_test(f, SYS_fcntl, (test){IS, LOWER(1), 15 /* F_SETOWN_EX */}, REFUSE);
}

static void write_filter(tci_syscall_filter *f)
{
    tci_syscall_filter_begin(f);
    tci_syscall_filter_add(f, BPF_JMP | BPF_JGT | BPF_K, 0, 1, LAST_CALL);
    tci_syscall_filter_answer(f, UNKNOWN);
    tci_syscall_filter_calls(f, asked, COUNT(asked), ASK);
    tci_syscall_filter_calls(f, unknown, COUNT(unknown), UNKNOWN);
    tci_syscall_filter_calls(f, refused, COUNT(refused), REFUSE);
    add_tests(f);
    tci_syscall_filter_answer(f, ALLOW);
}

int node_filter_set(void)
{
    static tci_syscall_filter filter;
    write_filter(&filter);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)tci_syscall_filter_set(&filter, SECCOMP_FILTER_FLAG_NEW_LISTENER |
                                                    SECCOMP_FILTER_FLAG_TSYNC_ESRCH);
}

bool node_filter_bearable(void)
{
    return !TCI_SANITIZED;
}
