#include "perf_session.h"

#include "perf_clock.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define END_TIMEOUT_NS (10 * PERF_NS_PER_S)
#define FAILED_PATIENCE_NS PERF_NS_PER_S

bool perf_session_complain(perf_session *session, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* The first complaint is the cause; messages of the other side after its partner has given
     * up are not printed. */
    if (session->control == NULL || atomic_exchange(&session->control->failed, 1) == 0)
        (void)fprintf(stderr, "tc-perf: %s: %s\n",
                      session->role == PERF_SOURCE ? "source" : "target", text);
    return false;
}

bool perf_session_pin(perf_session *session, const int *cpus)
{
    cpu_set_t set;
    for (unsigned i = 0; i < 2; i++)
        session->cpus[i] = cpus != NULL ? cpus[i] : -1;
    const int cpu = session->cpus[session->role];
    if (cpu < 0)
        return true;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return perf_session_complain(session, "cannot run on cpu %d: %s", cpu, strerror(errno));
    return true;
}

/* In memory of a descriptor, which a target that is a program of its own maps again. */
static bool make_control(perf_session *session)
{
    session->control_fd = memfd_create("tc-perf", MFD_CLOEXEC);
    if (session->control_fd < 0 || ftruncate(session->control_fd, sizeof(perf_control)) != 0)
        return perf_session_complain(session, "shared memory: %s", strerror(errno));
    void *page = mmap(NULL, sizeof(perf_control), PROT_READ | PROT_WRITE, MAP_SHARED,
                      session->control_fd, 0);
    if (page == MAP_FAILED)
        return perf_session_complain(session, "shared memory: %s", strerror(errno));
    session->control = page;
    return true;
}

static void close_control_fd(perf_session *session)
{
    if (session->control_fd >= 0)
        (void)close(session->control_fd);
    session->control_fd = -1;
}

bool perf_session_adopt(perf_session *session, int link_fd, int control_fd)
{
    struct stat about;
    *session = (perf_session){.role = PERF_TARGET, .link_fd = link_fd, .control_fd = -1};
    if (fstat(control_fd, &about) != 0)
        return perf_session_complain(session, "descriptor %d: %s", control_fd, strerror(errno));
    if (about.st_size != sizeof(perf_control))
        return perf_session_complain(
            session, "shared memory of %lld bytes, expected %zu: another version started this",
            (long long)about.st_size, sizeof(perf_control));
    void *page =
        mmap(NULL, sizeof(perf_control), PROT_READ | PROT_WRITE, MAP_SHARED, control_fd, 0);
    if (page == MAP_FAILED)
        return perf_session_complain(session, "shared memory: %s", strerror(errno));
    session->control = page;
    return true;
}

static _Noreturn void run_target(perf_session *session, const int *cpus, pid_t source_pid,
                                 perf_serve serve, void *experiment)
{
    session->role = PERF_TARGET;
    /* A target must not outlive its source, however that ends. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != source_pid)
        exit(EXIT_FAILURE);
    bool ok = perf_session_pin(session, cpus) && serve(session, experiment);
    exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
}

bool perf_session_start(perf_session *session, const int *cpus, perf_serve serve,
                        void *experiment)
{
    int fds[2];
    pid_t source_pid = getpid();
    *session = (perf_session){.role = PERF_SOURCE, .link_fd = -1, .control_fd = -1};
    if (!make_control(session))
        return false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
        return perf_session_complain(session, "socket pair: %s", strerror(errno));
    (void)fflush(NULL); /* buffered output would be written by both */
    pid_t pid = fork();
    if (pid < 0) {
        (void)close(fds[0]);
        (void)close(fds[1]);
        return perf_session_complain(session, "fork: %s", strerror(errno));
    }
    session->link_fd = fds[pid == 0 ? 1 : 0];
    (void)close(fds[pid == 0 ? 0 : 1]);
    if (pid == 0)
        run_target(session, cpus, source_pid, serve, experiment);
    session->target_pid = pid;
    close_control_fd(session); /* later targets' descriptors are not for this one */
    return perf_session_pin(session, cpus);
}

/* True when the target has ended by itself before the deadline. */
static bool await_exit(perf_session *session, uint64_t timeout_ns, int *status_out)
{
    uint64_t deadline = perf_now_ns() + timeout_ns;
    while (perf_now_ns() < deadline) {
        if (waitpid(session->target_pid, status_out, WNOHANG) == session->target_pid)
            return true;
        (void)usleep(1000);
    }
    return false;
}

static bool end_by(perf_session *session, uint64_t patience_ns)
{
    int status = 0;
    bool failed = perf_session_has_failed(session);
    if (session->target_pid > 0) {
        if (!failed)
            failed = !perf_session_command(session, 0, 0, 0);
        /* A target that failed has complained and is on its way out. */
        if (!await_exit(session, failed ? patience_ns : END_TIMEOUT_NS, &status)) {
            failed = true;
            (void)kill(session->target_pid, SIGKILL);
            (void)waitpid(session->target_pid, &status, 0);
        }
        if (!failed && status != 0)
            failed = !perf_session_complain(session, "the target ended with status 0x%x",
                                            (unsigned)status);
        session->target_pid = 0;
    }
    if (session->link_fd >= 0)
        (void)close(session->link_fd);
    close_control_fd(session);
    if (session->control != NULL)
        (void)munmap(session->control, sizeof *session->control);
    session->control = NULL;
    return !failed;
}

bool perf_session_end(perf_session *session)
{
    return end_by(session, FAILED_PATIENCE_NS);
}

bool perf_session_end_all(perf_session *sessions, unsigned count)
{
    const uint64_t start_ns = perf_now_ns();
    bool ok = true;
    for (unsigned i = count; i-- > 0;) {
        uint64_t took_ns = perf_now_ns() - start_ns;
        ok = end_by(&sessions[i], took_ns < FAILED_PATIENCE_NS ? FAILED_PATIENCE_NS - took_ns
                                                               : PERF_NS_PER_MS) &&
             ok;
    }
    return ok;
}

bool perf_session_send(perf_session *session, const void *bytes, size_t size)
{
    if (send(session->link_fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
        return perf_session_complain(session, "the other process is gone: %s", strerror(errno));
    return true;
}

bool perf_session_recv(perf_session *session, void *bytes, size_t capacity, size_t *size_out)
{
    struct pollfd wait = {.fd = session->link_fd, .events = POLLIN};
    /* Twice a poll loop's patience: a waiting loop decides first and knows more. */
    int ready = poll(&wait, 1, (int)(2 * PERF_SILENCE_NS / PERF_NS_PER_MS));
    if (ready == 0)
        return perf_session_complain(session, "the other process has been silent for %d s",
                                     (int)(2 * PERF_SILENCE_NS / PERF_NS_PER_S));
    ssize_t got = recv(session->link_fd, bytes, capacity, 0);
    if (got <= 0)
        return perf_session_complain(session, "the other process is gone");
    *size_out = (size_t)got;
    return true;
}

bool perf_session_command(perf_session *session, uint32_t action, uint32_t series,
                          uint64_t count)
{
    const perf_command command = {.action = action, .series = series, .count = count};
    session->step++;
    return perf_session_send(session, &command, sizeof command);
}

bool perf_session_next(perf_session *session, perf_command *command_out)
{
    size_t size;
    session->step++;
    return perf_session_recv(session, command_out, sizeof *command_out, &size);
}

bool perf_session_answer(perf_session *session, bool ok)
{
    uint32_t word = ok;
    return perf_session_send(session, &word, sizeof word) && ok;
}

bool perf_session_serve(perf_session *session, perf_step step, void *experiment)
{
    perf_command command;
    for (;;) {
        if (!perf_session_next(session, &command))
            return false;
        if (command.action == 0)
            return true;
        if (!perf_session_answer(session, step(experiment, &command)))
            return false;
    }
}

bool perf_session_reply(perf_session *session)
{
    uint32_t word = 0;
    size_t size;
    return perf_session_recv(session, &word, sizeof word, &size) && word == 1;
}

void perf_session_set_ready(perf_session *session)
{
    atomic_store_explicit(&session->control->ready, session->step, memory_order_release);
}

void perf_session_set_done(perf_session *session)
{
    atomic_store_explicit(&session->control->done, session->step, memory_order_release);
}

void perf_session_set_ended(perf_session *session)
{
    atomic_store_explicit(&session->control->ended, session->step, memory_order_release);
}

bool perf_session_has_ended(const perf_session *session)
{
    return atomic_load_explicit(&session->control->ended, memory_order_acquire) ==
           session->step;
}

static bool await_word(perf_session *session, const _Atomic uint64_t *word)
{
    perf_poll poll = {.session = session};
    while (atomic_load_explicit(word, memory_order_acquire) != session->step) {
        if (!perf_poll_missed(&poll))
            return false;
    }
    return true;
}

bool perf_session_await_ready(perf_session *session)
{
    return await_word(session, &session->control->ready);
}

bool perf_session_await_done(perf_session *session)
{
    return await_word(session, &session->control->done);
}

bool perf_session_has_failed(const perf_session *session)
{
    return session->control == NULL || atomic_load(&session->control->failed) != 0;
}

static bool has_ended(const perf_session *session, siginfo_t *info_out)
{
    *info_out = (siginfo_t){0};
    return session->role == PERF_SOURCE &&
           waitid(P_PID, (id_t)session->target_pid, info_out, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info_out->si_pid == session->target_pid;
}

bool perf_session_target_is_gone(const perf_session *session)
{
    siginfo_t info;
    return has_ended(session, &info);
}

bool perf_session_any_failed(perf_session *sessions, unsigned count)
{
    siginfo_t info;
    bool failed = false;
    for (unsigned i = 0; i < count; i++) {
        if (!perf_session_has_failed(&sessions[i]) && has_ended(&sessions[i], &info))
            (void)perf_session_complain(
                &sessions[i], "worker %u died: %s %d", i,
                info.si_code == CLD_EXITED ? "it ended with status" : "signal", info.si_status);
        failed = failed || perf_session_has_failed(&sessions[i]);
    }
    return failed;
}

void perf_session_fail_all(perf_session *sessions, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (sessions[i].control != NULL)
            atomic_store(&sessions[i].control->failed, 1);
    }
}

/* --- rests ------------------------------------------------------------------------------- */

/* A yield that takes longer has given the processor to a program that keeps it. For so many
 * times as long, the loop sleeps instead of yielding: a sleeper is woken while that one
 * runs. */
#define LONG_YIELD_NS PERF_NS_PER_MS
#define SLEEPS_PER_LONG_YIELD 64u
#define SLEEP_AFTER_NS 20000u
#define SLEEP_NS 20000

unsigned perf_poll_misses_per_rest = PERF_MISSES_PER_REST;
static uint64_t yields_again_ns;

static void yield(uint64_t now_ns)
{
    (void)sched_yield();
    const uint64_t took_ns = perf_now_ns() - now_ns;
    const bool is_long = took_ns > LONG_YIELD_NS;
    if (is_long)
        yields_again_ns = now_ns + SLEEPS_PER_LONG_YIELD * took_ns;
    perf_poll_misses_per_rest = is_long ? PERF_MISSES_PER_SLEEP : PERF_MISSES_PER_REST;
}

/* With fewer free processors than processes, spinning on would only keep the other side from
 * running. */
static void give_way(const perf_poll *poll, uint64_t now_ns)
{
    const struct timespec pause = {.tv_nsec = SLEEP_NS};
    if (now_ns >= yields_again_ns)
        yield(now_ns);
    else if (now_ns - poll->quiet_since_ns > SLEEP_AFTER_NS)
        (void)nanosleep(&pause, NULL);
}

bool perf_poll_rest(perf_poll *poll)
{
    perf_session *session = poll->session;
    uint64_t now = perf_now_ns();
    if (poll->quiet_since_ns == 0)
        poll->quiet_since_ns = now;
    if (atomic_load_explicit(&session->control->failed, memory_order_relaxed) != 0)
        return false;
    if (perf_session_target_is_gone(session))
        return perf_session_complain(session, "the target died");
    if (now - poll->quiet_since_ns > PERF_SILENCE_NS)
        return perf_session_complain(session, "nothing came for %d s",
                                     (int)(PERF_SILENCE_NS / PERF_NS_PER_S));
    give_way(poll, now);
    return true;
}
