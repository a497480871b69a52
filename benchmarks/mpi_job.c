#include "mpi_job.h"

#include "perf_clock.h"
#include "perf_options.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 24u
#define LOOK_MS 100 /* between two looks whether mpirun has ended */
#define END_NS (10 * PERF_NS_PER_S)
#define TERM_NS (3 * PERF_NS_PER_S)
#define TRIP_NS PERF_NS_PER_MS /* patience for each round trip, beside that of any wait */

/* CMake defines those that it builds programs for. */
#ifndef PEER_MPI_RUN
#define PEER_MPI_RUN ""
#define PEER_MPI_IS_OPEN false
#endif
#ifndef PEER_MPICH_RUN
#define PEER_MPICH_RUN ""
#endif

const mpi_system mpi_job_found = {
    .name = "mpi", .program = "tc-perf-mpi", .run = PEER_MPI_RUN, .is_open = PEER_MPI_IS_OPEN};
const mpi_system mpi_job_mpich = {
    .name = "mpich", .program = "tc-perf-mpich", .run = PEER_MPICH_RUN, .is_open = false};

/* --- starting ---------------------------------------------------------------------------- */

/* The kernel chooses an abstract name, which leaves no file behind. */
static bool open_listener(mpi_job *job, char *name_out, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address;
    job->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (job->listener < 0 ||
        bind(job->listener, (const struct sockaddr *)&address, sizeof(sa_family_t)) != 0 ||
        listen(job->listener, 2) != 0 ||
        getsockname(job->listener, (struct sockaddr *)&address, &length) != 0)
        return perf_session_complain(job->session, "--modes %s: a socket: %s", job->name,
                                     strerror(errno));
    (void)snprintf(name_out, size, "%.*s",
                   (int)(length - offsetof(struct sockaddr_un, sun_path) - 1),
                   address.sun_path + 1);
    return true;
}

/* Two slots, so that MPI does not think of the machine as too small and yield; no binding, as
 * each rank chooses its own processor. MPICH lies on UCX or on libfabric, each with its own way
 * to tcp. */
static const char *const open_arguments[] = {
    "--bind-to", "none", "--host", "localhost:2",         "-n", "2",     "--mca",
    "pml",       "ob1",  "--mca",  "mpi_yield_when_idle", "0",  "--mca", "btl"};
static const char *const open_memory[] = {"self,vader"};
static const char *const open_tcp[] = {"self,tcp", "--mca", "btl_tcp_if_include", "lo"};
static const char *const mpich_arguments[] = {"-bind-to", "none", "-n", "2"};
static const char *const mpich_memory[] = {"-genv", "MPIR_CVAR_NOLOCAL", "0"};
static const char *const mpich_tcp[] = {"-genv", "MPIR_CVAR_NOLOCAL", "1",
                                        "-genv", "UCX_TLS",           "tcp,self",
                                        "-genv", "FI_PROVIDER",       "tcp"};

typedef struct command {
    const char *words[ARGUMENTS_MAX + 1];
    unsigned count;
} command;

#define ADD_ALL(command, list) add_all(command, list, sizeof(list) / sizeof *(list))

static void add_all(command *to, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count && to->count < ARGUMENTS_MAX; i++)
        to->words[to->count++] = words[i];
}

static void add_options(command *to, bool is_open, bool is_tcp)
{
    if (is_open)
        ADD_ALL(to, open_arguments);
    else
        ADD_ALL(to, mpich_arguments);
    if (is_open && is_tcp)
        ADD_ALL(to, open_tcp);
    else if (is_open)
        ADD_ALL(to, open_memory);
    else if (is_tcp)
        ADD_ALL(to, mpich_tcp);
    else
        ADD_ALL(to, mpich_memory);
}

/* Both processors: ranks that begin on one wait for each other there. */
static void admit(const int *cpus)
{
    cpu_set_t set;
    if (cpus[0] < 0 || cpus[1] < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpus[0], &set);
    CPU_SET((unsigned)cpus[1], &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

/* It asks for no signal at its parent's death: its ranks end then, and it does with them. One
 * that is signalled while it ends its ranks may crash. Its output is not the report's. */
static _Noreturn void become_mpirun(const command *of, const int *cpus)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(EXIT_FAILURE);
    (void)signal(SIGPIPE, SIG_DFL);
    admit(cpus);
    (void)execv(of->words[0], (char *const *)(uintptr_t)of->words);
    (void)fprintf(stderr, "tc-perf: %s: %s\n", of->words[0], strerror(errno));
    _exit(EXIT_FAILURE);
}

/* In the folder of the archives of a build, or that of an installation. */
static bool find_program(mpi_job *job, char *path, size_t size)
{
    static const char *const folders[] = {"../benchmarks", "../libexec/tchains"};
    char program[PERF_PATH_MAX];
    if (!perf_options_program_folder(program))
        return perf_session_complain(job->session, "no folder of programs");
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if ((size_t)snprintf(path, size, "%s/%s/%s", program, folders[i],
                             job->system->program) < size &&
            access(path, X_OK) == 0)
            return true;
    }
    return perf_session_complain(job->session, "--modes %s: no %s in %s/%s nor in %s/%s",
                                 job->name, job->system->program, program, folders[0], program,
                                 folders[1]);
}

static bool start_mpirun(mpi_job *job, const char *name, bool is_tcp)
{
    const int *cpus = job->session->cpus;
    char program[PERF_PATH_MAX + 64], cpu[2][16];
    command run = {.words = {job->system->run}, .count = 1};
    if (!find_program(job, program, sizeof program))
        return false;
    for (unsigned i = 0; i < 2; i++)
        (void)snprintf(cpu[i], sizeof cpu[i], "%d", cpus[i]);
    add_options(&run, job->system->is_open, is_tcp);
    add_all(&run, (const char *[]){program, name, cpu[0], cpu[1]}, 4);
    /* Open MPI refuses root without both. */
    if (geteuid() == 0 && (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1) != 0 ||
                           setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1) != 0))
        return perf_session_complain(job->session, "the environment: %s", strerror(errno));
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0)
        become_mpirun(&run, cpus);
    if (pid < 0)
        return perf_session_complain(job->session, "fork: %s", strerror(errno));
    job->mpirun = pid;
    return true;
}

/* --- the links --------------------------------------------------------------------------- */

static bool is_running(mpi_job *job)
{
    int status = 0;
    if (waitpid(job->mpirun, &status, WNOHANG) != job->mpirun)
        return true;
    job->mpirun = 0;
    return perf_session_complain(job->session, "--modes %s: %s ended with %s %d", job->name,
                                 job->system->run, WIFEXITED(status) ? "status" : "signal",
                                 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* Sleeps until there is something to read. */
static bool await_input(mpi_job *job, int fd, uint64_t patience_ns)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    const uint64_t start_ns = perf_now_ns();
    while (poll(&wait, 1, LOOK_MS) <= 0) {
        if (!is_running(job) || perf_session_has_failed(job->session))
            return false;
        if (perf_session_target_is_gone(job->session))
            return perf_session_complain(job->session, "the target died");
        if (perf_now_ns() - start_ns > patience_ns)
            return perf_session_complain(job->session, "--modes %s: nothing came for %llu s",
                                         job->name,
                                         (unsigned long long)(patience_ns / PERF_NS_PER_S));
    }
    return true;
}

static bool receive(mpi_job *job, int fd, void *bytes, size_t size, uint64_t patience_ns)
{
    for (size_t at = 0; at < size;) {
        if (!await_input(job, fd, patience_ns))
            return false;
        ssize_t got = recv(fd, (char *)bytes + at, size - at, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return perf_session_complain(job->session, "--modes %s: a rank of MPI is gone",
                                         job->name);
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Abstract names are open to every user of the machine. */
static bool is_own(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static bool accept_rank(mpi_job *job)
{
    mpi_hello hello;
    if (!await_input(job, job->listener, PERF_SILENCE_NS))
        return false;
    int fd = accept4(job->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return perf_session_complain(job->session, "accept: %s", strerror(errno));
    if (!is_own(fd)) {
        (void)close(fd);
        return perf_session_complain(job->session, "--modes %s: another user's process came",
                                     job->name);
    }
    bool ok = receive(job, fd, &hello, sizeof hello, PERF_SILENCE_NS);
    if (ok &&
        (hello.version != MPI_WORDS_VERSION || hello.rank > 1 || job->links[hello.rank] >= 0))
        ok =
            perf_session_complain(job->session, "--modes %s: %s of another version, or no rank",
                                  job->name, job->system->program);
    if (!ok) {
        (void)close(fd);
        return false;
    }
    hello.library[sizeof hello.library - 1] = '\0';
    job->links[hello.rank] = fd;
    if (hello.rank == 0)
        job->hello = hello;
    return true;
}

bool mpi_job_start(mpi_job *job, perf_session *session, const mpi_system *system,
                   const char *name, bool is_tcp)
{
    char at[sizeof(struct sockaddr_un)];
    *job = (mpi_job){
        .session = session, .system = system, .listener = -1, .links = {-1, -1}, .name = name};
    return open_listener(job, at, sizeof at) && start_mpirun(job, at, is_tcp) &&
           accept_rank(job) && accept_rank(job);
}

/* --- orders ------------------------------------------------------------------------------ */

static bool give(mpi_job *job, const mpi_order *order)
{
    for (unsigned rank = 2; rank-- > 0;) {
        if (send(job->links[rank], order, sizeof *order, MSG_NOSIGNAL) != sizeof *order)
            return perf_session_complain(job->session, "--modes %s: a rank of MPI is gone",
                                         job->name);
    }
    return true;
}

bool mpi_job_run(mpi_job *job, const mpi_order *order, uint64_t *ticks, mpi_answer *answer_out)
{
    const uint64_t patience_ns = PERF_SILENCE_NS + order->count * TRIP_NS;
    mpi_answer second;
    if (!give(job, order) ||
        !receive(job, job->links[0], answer_out, sizeof *answer_out, patience_ns) ||
        (ticks != NULL &&
         !receive(job, job->links[0], ticks, order->count * sizeof *ticks, patience_ns)) ||
        !receive(job, job->links[1], &second, sizeof second, patience_ns))
        return false;
    job->session->helpers_waited_ns += answer_out->waited_ns + second.waited_ns;
    return (answer_out->is_wrong == 0 && second.is_wrong == 0) ||
           perf_session_complain(job->session, "--modes %s: a message was wrong", job->name);
}

/* --- the end ----------------------------------------------------------------------------- */

static bool await_end(mpi_job *job, uint64_t patience_ns)
{
    const uint64_t start_ns = perf_now_ns();
    while (waitpid(job->mpirun, NULL, WNOHANG) == 0) {
        if (perf_now_ns() - start_ns > patience_ns)
            return false;
        (void)usleep(1000);
    }
    job->mpirun = 0;
    return true;
}

static void close_links(mpi_job *job)
{
    for (unsigned i = 0; i < 2; i++) {
        if (job->links[i] >= 0)
            (void)close(job->links[i]);
        job->links[i] = -1;
    }
}

/* Ranks end when their links close, and mpirun with them. Signals come last. */
static void end_mpirun(mpi_job *job)
{
    const bool is_fine = !perf_session_has_failed(job->session) && job->links[0] >= 0 &&
                         job->links[1] >= 0 && give(job, &(mpi_order){0});
    if (is_fine && await_end(job, END_NS))
        return;
    close_links(job);
    if (await_end(job, TERM_NS))
        return;
    (void)kill(job->mpirun, SIGTERM);
    if (!await_end(job, TERM_NS)) {
        (void)kill(job->mpirun, SIGKILL);
        (void)waitpid(job->mpirun, NULL, 0);
        job->mpirun = 0;
    }
}

void mpi_job_end(mpi_job *job)
{
    if (job->session == NULL)
        return;
    if (job->mpirun > 0)
        end_mpirun(job);
    close_links(job);
    if (job->listener >= 0)
        (void)close(job->listener);
    *job = (mpi_job){0};
}
