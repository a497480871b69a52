/* The start of a successor, and the wait for it. The library opens the listening socket itself,
 * so it is found among this process's descriptors by its port, and becomes descriptor 3 of the
 * successor. A pipe, descriptor 4, brings one byte when that serves, and its end when the
 * process ends first; descriptor 5 is the socket of --http. The node serves meanwhile and looks
 * at the pipe between messages. */
#include "node_successor.h"

#include "node_end.h"
#include "node_http_address.h"
#include "node_notify.h"
#include "tool_clock.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_FD 3    /* of the successor: the listening socket */
#define READY_FD 4     /* of the successor: a pipe */
#define HTTP_FD 5      /* of the successor: the socket of --http, where there is one */
#define OWN_FDS_MIN 16 /* above the successor's descriptors */
#define PATIENCE_S 60
#define OPTION "--successor="

extern char **environ;

static struct {
    char *path;
    char **argv; /* without OPTION; argv[1] is free for it */
    char **environment;
    pid_t pid; /* of the successor; 0: there is no upgrade */
    int ready; /* its pipe */
    uint64_t deadline_ns;
} successor;

static atomic_bool is_wanted;
static atomic_bool follows; /* which the thread of --http reads, too */

/* --- the start of this process ------------------------------------------------------------ */

/* Returns NULL without memory. */
static char **copied(char *const *list, size_t free_at, const char *skipped)
{
    size_t count = 0, to = 0;
    while (list[count] != NULL)
        count++;
    char **copy = calloc(count + 2, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < count; i++) {
        if (skipped != NULL && strncmp(list[i], skipped, strlen(skipped)) == 0)
            continue;
        to += to == free_at;
        copy[to] = strdup(list[i]);
        if (copy[to++] == NULL)
            return NULL;
    }
    return copy;
}

/* A path that the caller named stays as it is: a link may lead to another program by then. */
static char *find_path(const char *name)
{
    char folder[4096], path[8192];
    ssize_t n;
    if (name[0] == '/')
        return strdup(name);
    if (strchr(name, '/') != NULL && getcwd(folder, sizeof folder) != NULL) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        return strdup(path);
    }
    n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return n > 0 ? strdup(path) : NULL;
}

void node_successor_begin(char **argv)
{
    successor.path = argv[0] != NULL ? find_path(argv[0]) : NULL;
    successor.argv = copied(argv, 1, OPTION);
    successor.environment = copied(environ, SIZE_MAX, NULL);
}

static void on_signal(int number)
{
    (void)number;
    atomic_store(&is_wanted, true);
}

void node_successor_catch_signal(void)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    (void)sigaction(SIGUSR2, &action, NULL);
}

/* --- the socket --------------------------------------------------------------------------- */

static bool listens_at(int fd, unsigned port)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    int accepts = 0;
    socklen_t size = sizeof accepts, address_size = sizeof address;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) != 0 || accepts == 0 ||
        getsockname(fd, &address.any, &address_size) != 0)
        return false;
    return (address.any.sa_family == AF_INET && ntohs(address.v4.sin_port) == port) ||
           (address.any.sa_family == AF_INET6 && ntohs(address.v6.sin6_port) == port);
}

/* Returns the descriptor of the library's listening socket with that port; -1 without it. The
 * socket of --http may have the same port at another address. */
static int find_socket(unsigned port)
{
    DIR *folder = opendir("/proc/self/fd");
    int found = -1;
    if (folder == NULL)
        return -1;
    for (const struct dirent *entry; found < 0 && (entry = readdir(folder)) != NULL;) {
        char *end;
        const long fd = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && *end == '\0' && fd != node_http_address_socket() &&
            listens_at((int)fd, port))
            found = (int)fd;
    }
    (void)closedir(folder);
    return found;
}

/* --- its start ---------------------------------------------------------------------------- */

/* `http` is -1 without --http. */
static int spawn(int listening, int ready, int http)
{
    posix_spawn_file_actions_t actions;
    char option[sizeof OPTION + 20];
    int e = posix_spawn_file_actions_init(&actions);
    if (e != 0)
        return e;
    (void)snprintf(option, sizeof option, OPTION "%ld", (long)getpid());
    successor.argv[1] = option;
    e = posix_spawn_file_actions_adddup2(&actions, listening, SOCKET_FD);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(&actions, ready, READY_FD);
    if (e == 0 && http >= 0)
        e = posix_spawn_file_actions_adddup2(&actions, http, HTTP_FD);
    if (e == 0)
        e = posix_spawn_file_actions_addclosefrom_np(&actions,
                                                     http >= 0 ? HTTP_FD + 1 : HTTP_FD);
    if (e == 0)
        e = posix_spawn(&successor.pid, successor.path, &actions, NULL, successor.argv,
                        successor.environment);
    posix_spawn_file_actions_destroy(&actions);
    successor.argv[1] = NULL;
    return e;
}

/* Returns 0 or errno. */
static int start(unsigned port)
{
    int ends[2];
    const int found = find_socket(port);
    if (found < 0)
        return ENOTSOCK;
    if (successor.path == NULL || successor.argv == NULL || successor.environment == NULL)
        return ENOMEM;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return errno;
    const int listening = fcntl(found, F_DUPFD_CLOEXEC, OWN_FDS_MIN);
    const int ready = fcntl(ends[1], F_DUPFD_CLOEXEC, OWN_FDS_MIN);
    const int metrics = node_http_address_socket();
    const int http = metrics >= 0 ? fcntl(metrics, F_DUPFD_CLOEXEC, OWN_FDS_MIN) : -1;
    const int problem = listening >= 0 && ready >= 0 ? spawn(listening, ready, http) : errno;
    if (http >= 0)
        (void)close(http);
    if (listening >= 0)
        (void)close(listening);
    if (ready >= 0)
        (void)close(ready);
    (void)close(ends[1]);
    if (problem != 0) {
        successor.pid = 0;
        (void)close(ends[0]);
        return problem;
    }
    successor.ready = ends[0];
    successor.deadline_ns = tool_clock_ns() + PATIENCE_S * TOOL_NS_PER_S;
    return 0;
}

static void begin_upgrade(unsigned port)
{
    if (port == 0) {
        fprintf(stderr,
                "tc-node: no upgrade: with --isolate, --confine or --join there is none\n");
        return;
    }
    if (successor.pid != 0) {
        fprintf(stderr, "tc-node: no upgrade: process %ld is starting\n", (long)successor.pid);
        return;
    }
    const int problem = start(port);
    if (problem != 0)
        fprintf(stderr, "tc-node: upgrade failed: %s: %s; this process goes on\n",
                successor.path != NULL ? successor.path : "no path", strerror(problem));
    else
        fprintf(stderr, "tc-node: upgrade: %s starts as process %ld\n", successor.path,
                (long)successor.pid);
}

/* --- its readiness ------------------------------------------------------------------------ */

/* Collects the process, which has ended or is killed here. */
static void report_failure(const char *what)
{
    int status = 0;
    (void)kill(successor.pid, SIGKILL);
    while (waitpid(successor.pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status))
        fprintf(stderr,
                "tc-node: upgrade failed: process %ld %s, status %d; this process goes on\n",
                (long)successor.pid, what, WEXITSTATUS(status));
    else
        fprintf(stderr,
                "tc-node: upgrade failed: process %ld %s, signal %d; this process goes on\n",
                (long)successor.pid, what, WTERMSIG(status));
    (void)close(successor.ready);
    successor.pid = 0;
}

static void follow(void)
{
    fprintf(stderr, "tc-node: upgrade: process %ld serves\n", (long)successor.pid);
    (void)close(successor.ready);
    node_notify_successor((long)successor.pid);
    successor.pid = 0;
    atomic_store(&follows, true);
}

static void look(void)
{
    char byte;
    const ssize_t n = read(successor.ready, &byte, 1);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (tool_clock_ns() >= successor.deadline_ns)
            report_failure("was not ready in time");
        return;
    }
    if (n != 1) {
        report_failure("ended before it served");
        return;
    }
    follow();
    if (!node_end_is_wanted()) /* a second signal would end the process at once */
        (void)raise(SIGTERM);
}

void node_successor_turn(unsigned port)
{
    if (atomic_load_explicit(&is_wanted, memory_order_relaxed) &&
        atomic_exchange(&is_wanted, false))
        begin_upgrade(port);
    if (successor.pid != 0)
        look();
}

void node_successor_give_up(void)
{
    char byte;
    int status;
    if (successor.pid == 0)
        return;
    if (read(successor.ready, &byte, 1) == 1) {
        follow();
        return;
    }
    fprintf(stderr, "tc-node: upgrade given up: process %ld ends with this one\n",
            (long)successor.pid);
    (void)kill(successor.pid, SIGKILL);
    while (waitpid(successor.pid, &status, 0) < 0 && errno == EINTR)
        ;
    (void)close(successor.ready);
    successor.pid = 0;
}

bool node_successor_follows(void)
{
    return atomic_load_explicit(&follows, memory_order_relaxed);
}

bool node_successor_take(uint64_t parent, int *socket_out)
{
    *socket_out = SOCKET_FD;
    if (fcntl(HTTP_FD, F_GETFD) >= 0)
        node_http_address_inherit(HTTP_FD);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* until it serves */
    return (uint64_t)getppid() == parent && fcntl(READY_FD, F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC) == 0;
}

void node_successor_report_ready(void)
{
    (void)prctl(PR_SET_PDEATHSIG, 0);
    while (write(READY_FD, "r", 1) < 0 && errno == EINTR)
        ;
    (void)close(READY_FD);
}
