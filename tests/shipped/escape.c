/* Tries all ways out of a confined process that its author could think of. The payload is
 * "victim segment path": a process of the same user, a segment of shared memory that it keeps,
 * and a file that may be read. Each way that does not end in EPERM, EACCES or ENOSYS goes to
 * standard output by its name, and then how many were tried and refused. Outside of a wall they
 * do no harm beyond the victim, the segment, the file and this process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define FDS 256
#define PAGE 4096
#define SIZE_OF_SCHED_ATTR 48

typedef struct place {
    pid_t victim;
    int segment;
    char path[200];
    int file;     /* that may be read */
    int stream;   /* a TCP socket, or a standard descriptor without one */
    int datagram; /* UCX's, or the same */
    int tried;
    int refused;
} place;

static void try(place *p, const char *name, long result)
{
    char line[128];
    int problem = result == -1 ? errno : 0;
    p->tried++;
    if (problem == EPERM || problem == EACCES || problem == ENOSYS) {
        p->refused++;
        return;
    }
    int length = snprintf(line, sizeof line, "out: %s: %d\n", name, problem);
    ssize_t written = write(STDOUT_FILENO, line, (size_t)length);
    (void)written;
}

#define CALL(name, ...) try(p, #name, syscall(SYS_##name, __VA_ARGS__))
#define WAY(name, ...) try(p, name, syscall(__VA_ARGS__))

/* The first descriptor of a family and type. */
static int find_socket(int family, int type)
{
    for (int fd = 3; fd < FDS; fd++) {
        struct sockaddr_storage address;
        socklen_t address_size = sizeof address, type_size = sizeof(int);
        int found = 0;
        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &found, &type_size) == 0 && found == type &&
            getsockname(fd, (struct sockaddr *)&address, &address_size) == 0 &&
            address.ss_family == family)
            return fd;
    }
    return STDERR_FILENO;
}

static void signals(place *p)
{
    char info[128] = {0};
    int own[2] = {1, p->victim};
    CALL(kill, p->victim, SIGTERM);
    WAY("kill a group", SYS_kill, -p->victim, SIGTERM);
    WAY("kill its own group", SYS_kill, 0, SIGCONT);
    CALL(tkill, p->victim, SIGTERM);
    CALL(tgkill, p->victim, p->victim, SIGTERM);
    CALL(rt_sigqueueinfo, p->victim, SIGTERM, info);
    CALL(rt_tgsigqueueinfo, p->victim, p->victim, SIGTERM, info);
    CALL(pidfd_open, p->victim, 0);
    CALL(pidfd_getfd, p->file, 0, 0);
    WAY("ioctl FIOSETOWN", SYS_ioctl, p->datagram, 0x8901, &p->victim);
    WAY("ioctl SIOCSPGRP", SYS_ioctl, p->datagram, 0x8902, &p->victim);
    WAY("ioctl FIOASYNC", SYS_ioctl, p->datagram, FIOASYNC, own);
    WAY("fcntl F_SETOWN", SYS_fcntl, p->datagram, F_SETOWN, p->victim);
    WAY("fcntl F_SETOWN_EX", SYS_fcntl, p->datagram, 15, own);
    WAY("fcntl F_SETSIG", SYS_fcntl, p->datagram, 10, SIGKILL);
    WAY("fcntl O_ASYNC", SYS_fcntl, p->datagram, F_SETFL, O_ASYNC | O_NONBLOCK);
    WAY("fcntl F_NOTIFY", SYS_fcntl, p->file, 1026, 2);
    WAY("fcntl F_SETLEASE", SYS_fcntl, p->file, 1024, F_RDLCK);
    WAY("prctl PR_SET_PDEATHSIG", SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0);
}

/* By the use of a descriptor of the process on the other side. */
static void kill_parent(place *p)
{
    for (int fd = 0; fd < FDS; fd++) {
        int parent = -1;
        socklen_t size = sizeof parent;
        if (getsockopt(fd, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &parent, &size) == 0)
            WAY("kill by the peer's descriptor", SYS_pidfd_send_signal, parent, SIGKILL, NULL,
                0);
    }
    WAY("pidfd_send_signal", SYS_pidfd_send_signal, p->file, SIGTERM, NULL, 0);
}

static void connections(place *p)
{
    const struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct linger linger = {1, 1000};
    struct iovec part = {p, 1};
    struct msghdr message = {.msg_name = (void *)&there,
                             .msg_namelen = sizeof there,
                             .msg_iov = &part,
                             .msg_iovlen = 1};
    char messages[2 * sizeof message] = {0};
    CALL(socket, AF_INET, SOCK_STREAM, 0);
    WAY("socket unix", SYS_socket, AF_UNIX, SOCK_DGRAM, 0);
    WAY("socket netlink", SYS_socket, AF_NETLINK, SOCK_RAW, 0);
    CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, messages);
    CALL(connect, p->stream, &there, sizeof there);
    CALL(bind, p->stream, &there, sizeof there);
    CALL(listen, p->stream, 1);
    WAY("sendto MSG_FASTOPEN", SYS_sendto, p->stream, p, 1, MSG_FASTOPEN, &there, sizeof there);
    WAY("sendto MSG_FASTOPEN, no address", SYS_sendto, p->stream, p, 1, MSG_FASTOPEN, NULL, 0);
    WAY("sendmsg MSG_FASTOPEN", SYS_sendmsg, p->stream, &message, MSG_FASTOPEN);
    CALL(sendmsg, p->stream, &message, 0);
    CALL(sendmmsg, p->stream, messages, 1, 0);
    WAY("setsockopt SO_LINGER", SYS_setsockopt, p->stream, SOL_SOCKET, SO_LINGER, &linger,
        sizeof linger);
    WAY("setsockopt SO_PASSCRED", SYS_setsockopt, p->datagram, SOL_SOCKET, SO_PASSCRED, &there,
        4);
    WAY("setsockopt IP_OPTIONS", SYS_setsockopt, p->stream, IPPROTO_IP, 4, &there, 4);
    WAY("setsockopt TCP_ULP", SYS_setsockopt, p->stream, IPPROTO_TCP, 31, "tls", 3);
}

static void datagrams(place *p)
{
    struct sockaddr_un named = {.sun_family = AF_UNIX, .sun_path = "\0escape"};
    struct sockaddr_un file = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
    struct sockaddr_un numbered = {.sun_family = AF_UNIX, .sun_path = "\0zzzzz"};
    const socklen_t number_size = offsetof(struct sockaddr_un, sun_path) + 6;
    WAY("sendto a name", SYS_sendto, p->datagram, p, 1, 0, &named,
        offsetof(struct sockaddr_un, sun_path) + 7);
    WAY("sendto a path", SYS_sendto, p->datagram, p, 1, 0, &file, sizeof file);
    WAY("sendto, much", SYS_sendto, p->datagram, p, 9, 0, &numbered, number_size);
    WAY("sendto what is no number", SYS_sendto, p->datagram, p, 1, 0, &numbered, number_size);
    CALL(mq_unlink, "escape");
    CALL(mq_open, "escape", O_RDWR | O_CREAT, 0600, NULL);
    CALL(mq_timedsend, p->file, p, 1, 0, NULL);
    CALL(msgget, 1, IPC_CREAT | 0600);
    CALL(msgsnd, 0, p, 1, IPC_NOWAIT);
    CALL(msgrcv, 0, p, 0, 0, IPC_NOWAIT);
    CALL(msgctl, 0, IPC_STAT, NULL);
    CALL(semget, 1, 1, IPC_CREAT | 0600);
    CALL(semop, 0, p, 0);
    CALL(semctl, 0, 0, IPC_STAT, NULL);
}

static void memory(place *p)
{
    const long both = PROT_READ | PROT_WRITE | PROT_EXEC;
    const long anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, (int)anonymous, -1, 0);
    int file = memfd_create("escape", 0), own = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0600);
    struct iovec part = {page, PAGE};
    CALL(mmap, NULL, PAGE, both, anonymous, -1, 0L);
    WAY("mmap a file", SYS_mmap, NULL, PAGE, both, MAP_SHARED, file, 0L);
    CALL(mprotect, page, PAGE, both);
    CALL(pkey_mprotect, page, PAGE, both, -1);
    WAY("shmat SHM_EXEC", SYS_shmat, own, NULL, SHM_EXEC);
    WAY("shmat another's", SYS_shmat, p->segment, NULL, 0);
    WAY("shmctl IPC_RMID another's", SYS_shmctl, p->segment, IPC_RMID, NULL);
    WAY("shmctl IPC_SET", SYS_shmctl, p->segment, IPC_SET, page);
    WAY("shmget a key", SYS_shmget, 1, PAGE, IPC_CREAT | 0600);
    CALL(process_vm_readv, p->victim, &part, 1, &part, 1, 0);
    CALL(process_vm_writev, p->victim, &part, 1, &part, 1, 0);
    CALL(process_madvise, p->file, &part, 1, 4, 0);
    CALL(move_pages, p->victim, 0, NULL, NULL, NULL, 0);
    CALL(migrate_pages, p->victim, 0, NULL, NULL);
    CALL(ptrace, 16 /* attach */, p->victim, 0, 0);
    CALL(kcmp, p->victim, p->victim, 0, 0, 0);
    CALL(userfaultfd, 0);
    (void)shmctl(own, IPC_RMID, NULL);
    (void)munmap(page, PAGE);
    (void)close(file);
}

static void files(place *p)
{
    const struct timespec times[2] = {{0, 0}, {0, 0}};
    char handle[128] = {0};
    CALL(fchmod, p->file, 0777);
    CALL(fchmodat, AT_FDCWD, p->path, 0777);
    CALL(fchown, p->file, -1, -1);
    CALL(fchownat, AT_FDCWD, p->path, -1, -1, 0);
    CALL(fsetxattr, p->file, "user.escape", "x", 1, 0);
    CALL(fremovexattr, p->file, "user.escape");
    CALL(setxattr, p->path, "user.escape", "x", 1, 0);
    CALL(utimensat, p->file, NULL, times, 0);
    CALL(truncate, p->path, 0);
    CALL(flock, p->file, 2);
    CALL(linkat, AT_FDCWD, p->path, AT_FDCWD, "escape", 0);
    CALL(symlinkat, p->path, AT_FDCWD, "escape");
    CALL(mknodat, AT_FDCWD, "escape", S_IFIFO | 0600, 0);
    CALL(unlinkat, AT_FDCWD, p->path, 0);
    CALL(renameat2, AT_FDCWD, p->path, AT_FDCWD, "escape", 0);
    CALL(openat, AT_FDCWD, p->path, O_RDWR);
    CALL(openat2, AT_FDCWD, p->path, times, 24);
    CALL(name_to_handle_at, AT_FDCWD, p->path, handle, handle, 0);
    CALL(open_by_handle_at, p->file, handle, 0);
    CALL(inotify_init1, 0);
    CALL(fanotify_init, 0, 0);
    CALL(chroot, "/");
    CALL(chdir, "/");
    CALL(mount, NULL, NULL, NULL, 0, NULL);
    WAY("ioctl FS_IOC_SETFLAGS", SYS_ioctl, p->file, 0x40086602, p);
    WAY("ioctl TIOCSTI", SYS_ioctl, STDIN_FILENO, TIOCSTI, "x");
    WAY("ioctl TCSETS", SYS_ioctl, STDIN_FILENO, 0x5402, handle);
}

static void other_processes(place *p)
{
    char attributes[SIZE_OF_SCHED_ATTR] = {SIZE_OF_SCHED_ATTR};
    const int parameter = 0;
    const struct rlimit limit = {1, 1};
    uint64_t mask = ~0ull;
    CALL(setpriority, PRIO_PROCESS, p->victim, 19);
    WAY("setpriority of a group", SYS_setpriority, PRIO_PGRP, p->victim, 19);
    CALL(sched_setaffinity, p->victim, sizeof mask, &mask);
    CALL(sched_setscheduler, p->victim, SCHED_OTHER, &parameter);
    CALL(sched_setparam, p->victim, &parameter);
    CALL(sched_setattr, p->victim, attributes, 0);
    CALL(ioprio_set, 1, p->victim, 0);
    WAY("prlimit64 of another", SYS_prlimit64, p->victim, RLIMIT_NOFILE, &limit, NULL);
    WAY("prlimit64 of its own", SYS_prlimit64, 0, RLIMIT_CORE, &limit, NULL);
    CALL(setpgid, 0, 0);
    CALL(setsid, 0);
    CALL(execve, "/bin/true", NULL, NULL);
    CALL(execveat, p->file, "", NULL, NULL, AT_EMPTY_PATH);
    CALL(clone, SIGCHLD, 0L, 0L, 0L, 0L);
    CALL(clone3, attributes, 0);
    CALL(unshare, CLONE_NEWUSER);
    CALL(setns, p->file, 0);
    CALL(personality, 0);
    CALL(setresuid, -1, -1, -1);
    CALL(capset, NULL, NULL);
}

static void kernel(place *p)
{
    char text[256] = {0};
    CALL(io_uring_setup, 1, text);
    CALL(io_setup, 1, text);
    CALL(bpf, 0, text, sizeof text);
    CALL(perf_event_open, text, 0, -1, -1, 0);
    CALL(add_key, "user", "escape", "x", 1, -2);
    CALL(request_key, "user", "escape", NULL, -2);
    CALL(keyctl, 0, -2, 0);
    CALL(seccomp, 1, 0, NULL);
    WAY("landlock_create_ruleset", 444L, NULL, 0, 1);
    CALL(syslog, 3, text, sizeof text);
    CALL(sethostname, NULL, -1);
    CALL(settimeofday, NULL, NULL);
    CALL(swapon, "escape", 0);
    CALL(vmsplice, p->file, text, 0, 0);
    CALL(memfd_secret, 0);
    WAY("a call of the future", 1000L);
}

void escape_main(void *payload, size_t size, void *target_args)
{
    char text[300], line[64];
    place here = {.file = -1};
    (void)target_args;
    if (size >= sizeof text)
        return;
    memcpy(text, payload, size);
    text[size] = '\0';
    if (sscanf(text, "%d %d %199s", &here.victim, &here.segment, here.path) != 3)
        return;
    here.file = open(here.path, O_RDONLY | O_CLOEXEC);
    here.stream = find_socket(AF_INET, SOCK_STREAM);
    here.datagram = find_socket(AF_UNIX, SOCK_DGRAM);
    signals(&here);
    kill_parent(&here);
    connections(&here);
    datagrams(&here);
    memory(&here);
    files(&here);
    other_processes(&here);
    kernel(&here);
    (void)close(here.file);
    int length =
        snprintf(line, sizeof line, "ways: %d, refused: %d\n", here.tried, here.refused);
    ssize_t written = write(STDOUT_FILENO, line, (size_t)length);
    (void)written;
}
