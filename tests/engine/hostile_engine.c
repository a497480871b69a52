/* A compromised engine: the code to compile names the attack to try instead. It answers
 * "refused: ..." with errno's text when that failed, with an object when it went well, and does
 * not answer when it was ended. */
#include "base/arch.h"
#include "base/error_text.h"
#include "engine/engine_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096

/* The parent's number is not to be had any more. */
static pid_t parent;
static long page_of_code;

struct tci_engine {
    int nothing;
};
static tci_engine the_engine;

/* --- attacks: 0 or more, or -1 and errno -------------------------------------------- */

static long try_nothing(void)
{
    return 0;
}

static long try_open(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY, 0);
}

static long try_openat2(void)
{
    uint64_t how[3] = {O_RDONLY, 0, 0};
    return syscall(437, AT_FDCWD, "/etc/passwd", how, sizeof how);
}

static long try_create(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/tmp/tc-test-hostile", O_WRONLY | O_CREAT, 0600);
}

static long try_unlink(void)
{
    return syscall(SYS_unlinkat, AT_FDCWD, "/tmp/tc-test-hostile", 0);
}

static long try_socket(void)
{
    return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static long try_unix_socket(void)
{
    return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static long try_execve(void)
{
    char *argv[] = {"/bin/true", NULL};
    return syscall(SYS_execve, argv[0], argv, argv + 1);
}

static long try_fork(void)
{
    long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        _exit(0);
    return pid;
}

static long try_clone3(void)
{
    uint64_t args[8] = {0};
    args[4] = SIGCHLD;
    long pid = syscall(SYS_clone3, args, sizeof args);
    if (pid == 0)
        _exit(0);
    return pid;
}

static long try_mmap_exec(void)
{
    return syscall(SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -1
               ? -1
               : 0;
}

static long try_mprotect_exec(void)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return syscall(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
}

/* Another way to ask for the same: the upper half of an argument does not count. */
static long try_mprotect_exec_wide(void)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return syscall(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC | PROT_WRITE);
}

static long try_map_descriptor(void)
{
    return syscall(SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 2, 0) == -1 ? -1 : 0;
}

static long try_ptrace(void)
{
    return syscall(SYS_ptrace, PTRACE_SEIZE, parent, 0, 0);
}

static long try_write_memory(void)
{
    struct iovec word = {&page_of_code, sizeof page_of_code};
    return syscall(SYS_process_vm_writev, parent, &word, 1, &word, 1, 0);
}

static long try_kill(void)
{
    return syscall(SYS_kill, parent, SIGUSR1);
}

static long try_tgkill(void)
{
    return syscall(SYS_tgkill, parent, parent, SIGABRT);
}

static long try_other_signal(void)
{
    return syscall(SYS_tgkill, getpid(), getpid(), SIGURG);
}

/* The descriptor of the parent that it waits with. */
static long try_pidfd_signal(void)
{
    long result = -1;
    for (int fd = 4; fd < 16 && result != 0; fd++)
        result = syscall(SYS_pidfd_send_signal, fd, SIGUSR1, NULL, 0);
    return result;
}

static long try_pidfd_getfd(void)
{
    return syscall(438, 4, 0, 0);
}

static long try_write_other(void)
{
    return syscall(SYS_write, 1, "words", 5);
}

static long try_write_socket(void)
{
    return syscall(SYS_write, 3, "words", 5);
}

static long try_read_other(void)
{
    char byte;
    return syscall(SYS_pread64, 2, &byte, 1, 0);
}

static long try_send_other(void)
{
    return syscall(SYS_sendto, 4, "words", 5, 0, NULL, 0);
}

static long try_send_descriptor(void)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    return syscall(SYS_sendmsg, 3, &message, 0);
}

static long try_memfd(void)
{
    return syscall(SYS_memfd_create, "hostile", 0);
}

static long try_shmget(void)
{
    return syscall(SYS_shmget, IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
}

static long try_io_uring(void)
{
    char parameters[256] = {0};
    return syscall(SYS_io_uring_setup, 4, parameters);
}

static long try_bpf(void)
{
    return syscall(SYS_bpf, 0, NULL, 0);
}

static long try_unshare(void)
{
    return syscall(SYS_unshare, 0x10000000);
}

static long try_keyctl(void)
{
    return syscall(SYS_keyctl, 0, -3, 0);
}

static long try_dumpable(void)
{
    return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static long try_limit(void)
{
    const struct rlimit more = {4096, 4096};
    return setrlimit(RLIMIT_NOFILE, &more);
}

static long try_truncate(void)
{
    return syscall(SYS_ftruncate, 2, 0);
}

/* The calls of a 32-bit program: other numbers for other calls. */
static long try_other_numbers(void)
{
#if TCI_ARCH_X86_64
    return syscall(0x40000000 | SYS_getpid);
#elif TCI_ARCH_AARCH64
    return syscall(100000);
#endif
}

static long try_abort(void)
{
    abort();
}

/* Lists the descriptors, when only queries are left. */
static long try_descriptors(void)
{
    for (int fd = 0; fd < 4096; fd++) {
        struct pollfd asked = {.fd = fd};
        if (poll(&asked, 1, 0) < 0)
            return -1;
        bool is_open = (asked.revents & POLLNVAL) == 0;
        if (is_open != (fd < 6)) { /* streams, socket, statm, the parent's pidfd */
            errno = EMFILE;
            return -1;
        }
    }
    return 0;
}

static long try_environment(void)
{
    extern char **environ;
    for (char **variable = environ; *variable != NULL; variable++) {
        if (strncmp(*variable, "TC_", 3) == 0 || strstr(*variable, "secret") != NULL) {
            errno = EEXIST;
            return -1;
        }
    }
    return 0;
}

#define ATTEMPT(name)                                                                          \
    {                                                                                          \
#name, try_##name                                                                      \
    }
static const struct {
    const char *name;
    long (*run)(void);
} attempts[] = {
    ATTEMPT(nothing),
    ATTEMPT(open),
    ATTEMPT(openat2),
    ATTEMPT(create),
    ATTEMPT(unlink),
    ATTEMPT(socket),
    ATTEMPT(unix_socket),
    ATTEMPT(execve),
    ATTEMPT(fork),
    ATTEMPT(clone3),
    ATTEMPT(mmap_exec),
    ATTEMPT(mprotect_exec),
    ATTEMPT(mprotect_exec_wide),
    ATTEMPT(map_descriptor),
    ATTEMPT(ptrace),
    ATTEMPT(write_memory),
    ATTEMPT(kill),
    ATTEMPT(tgkill),
    ATTEMPT(other_signal),
    ATTEMPT(pidfd_signal),
    ATTEMPT(pidfd_getfd),
    ATTEMPT(write_other),
    ATTEMPT(write_socket),
    ATTEMPT(read_other),
    ATTEMPT(send_other),
    ATTEMPT(send_descriptor),
    ATTEMPT(memfd),
    ATTEMPT(shmget),
    ATTEMPT(io_uring),
    ATTEMPT(bpf),
    ATTEMPT(unshare),
    ATTEMPT(keyctl),
    ATTEMPT(dumpable),
    ATTEMPT(limit),
    ATTEMPT(truncate),
    ATTEMPT(other_numbers),
    ATTEMPT(abort),
    ATTEMPT(descriptors),
    ATTEMPT(environment),
};

/* --- as an engine ------------------------------------------------------------------------- */

static tc_status engine_compile(tci_engine *engine, const tci_engine_code *code,
                                tci_object *object_out, tc_error *err)
{
    (void)engine;
    size_t i = 0;
    while (strcmp(attempts[i].name, code->name) != 0)
        i++;
    if (attempts[i].run() < 0)
        return tci_error_set(err, TC_E_COMPILE, "refused: %s", strerror(errno));
    *object_out = (tci_object){.bytes = strdup("got through"), .size = 11};
    return TC_OK;
}

static tc_status engine_create(void (*log)(tc_log_level level, const char *line),
                               tci_engine **engine_out, tc_error *err)
{
    (void)log;
    (void)err;
    parent = getppid();
    *engine_out = &the_engine;
    return TC_OK;
}

static void engine_destroy(tci_engine *engine)
{
    (void)engine;
}

static const char *engine_version(void)
{
    return "1.2.3";
}

static const char *engine_cpu(const tci_engine *engine)
{
    (void)engine;
    return "any";
}

__attribute__((visibility("default"))) extern const tci_engine_ops tci_engine_module;
const tci_engine_ops tci_engine_module = {
    .abi = TCI_ENGINE_ABI,
    .name = "hostile",
    .llvm = engine_version,
    .create = engine_create,
    .destroy = engine_destroy,
    .cpu = engine_cpu,
    .features = engine_cpu,
    .compile = engine_compile,
};
