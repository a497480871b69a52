/* The start of a successor, and the wait for it. The listening socket becomes descriptor 3 of
 * the successor. A pipe, descriptor 4, brings one byte when that serves, and its end when the
 * process ends first; descriptor 5 is the socket of --http. The node serves meanwhile and looks
 * at the pipe between messages. */
#include "node_successor.h"

#include "node_end.h"
#include "node_notify.h"
#include "node_say.h"
#include "tool_clock.h"

#include <errno.h>
#include <fcntl.h>
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
static int start(int own_listening, int own_http)
{
    int ends[2];
    if (successor.path == NULL || successor.argv == NULL || successor.environment == NULL)
        return ENOMEM;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return errno;
    const int listening = fcntl(own_listening, F_DUPFD_CLOEXEC, OWN_FDS_MIN);
    const int ready = fcntl(ends[1], F_DUPFD_CLOEXEC, OWN_FDS_MIN);
    const int http = own_http >= 0 ? fcntl(own_http, F_DUPFD_CLOEXEC, OWN_FDS_MIN) : -1;
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

static void begin_upgrade(int listening, int http)
{
    if (listening < 0) {
        node_say(NODE_WARNING, "no upgrade: with --join, and with --confine but without "
                               "--isolate, there is none");
        return;
    }
    if (successor.pid != 0) {
        node_say(NODE_WARNING, "no upgrade: process %ld is starting", (long)successor.pid);
        return;
    }
    const int problem = start(listening, http);
    if (problem != 0)
        node_say(NODE_ERROR, "upgrade failed: %s: %s; this process goes on",
                 successor.path != NULL ? successor.path : "no path", strerror(problem));
    else
        node_say(NODE_INFO, "upgrade: %s starts as process %ld", successor.path,
                 (long)successor.pid);
}

/* --- its readiness ------------------------------------------------------------------------ */

/* Collects the process, which has ended or is killed here. Returns its status. */
static int collect(void)
{
    int status = 0;
    (void)kill(successor.pid, SIGKILL);
    while (waitpid(successor.pid, &status, 0) < 0 && errno == EINTR)
        ;
    (void)close(successor.ready);
    return status;
}

static void report_failure(const char *what)
{
    const int status = collect();
    if (WIFEXITED(status))
        node_say(NODE_ERROR, "upgrade failed: process %ld %s, status %d; this process goes on",
                 (long)successor.pid, what, WEXITSTATUS(status));
    else
        node_say(NODE_ERROR, "upgrade failed: process %ld %s, signal %d; this process goes on",
                 (long)successor.pid, what, WTERMSIG(status));
    successor.pid = 0;
}

static void follow(void)
{
    node_say(NODE_INFO, "upgrade: process %ld serves", (long)successor.pid);
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

void node_successor_turn(int listening, int http)
{
    if (atomic_load_explicit(&is_wanted, memory_order_relaxed) &&
        atomic_exchange(&is_wanted, false))
        begin_upgrade(listening, http);
    if (successor.pid != 0)
        look();
}

void node_successor_give_up(void)
{
    char byte;
    if (successor.pid == 0)
        return;
    if (read(successor.ready, &byte, 1) == 1) {
        follow();
        return;
    }
    node_say(NODE_WARNING, "upgrade given up: process %ld ends with this one",
             (long)successor.pid);
    (void)collect();
    successor.pid = 0;
}

bool node_successor_follows(void)
{
    return atomic_load_explicit(&follows, memory_order_relaxed);
}

static bool is_listening(int fd)
{
    int accepts = 0;
    socklen_t size = sizeof accepts;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts != 0;
}

bool node_successor_take(uint64_t parent, int *socket_out, int *http_out)
{
    *socket_out = SOCKET_FD;
    *http_out = is_listening(HTTP_FD) ? HTTP_FD : -1;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* until it serves */
    return (uint64_t)getppid() == parent && fcntl(READY_FD, F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC) == 0;
}

/* From here on this process serves, also if the node has just been killed. */
void node_successor_report_ready(void)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    (void)prctl(PR_SET_PDEATHSIG, 0);
    (void)sigaction(SIGPIPE, &ignored, &before);
    while (write(READY_FD, "r", 1) < 0 && errno == EINTR)
        ;
    (void)sigaction(SIGPIPE, &before, NULL);
    (void)close(READY_FD);
}
