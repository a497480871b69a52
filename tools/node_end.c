/* A thread waits for the first signal. When the time for the drain is over, in which an orderly
 * end is complete unless a function does not return, it asks the thread that runs functions, by
 * another signal, whether one still runs: if so, the process ends at once. */
#include "node_end.h"

#include "node_say.h"
#include "tool_clock.h"

#include <tc/code.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEAF_S 2 /* a thread that does not block signals answers within this time */
#define RESERVE_NS 500000000ull /* of the drain's time, for the steps after its deadline */
#define STACK_BYTES 65536u      /* stack of the thread that counts the seconds */
/* Signal to the thread that runs functions, which rarely use it. qemu does not deliver the last
 * two. */
#define QUESTION (SIGRTMAX - 3)

/* Atomic, as any thread (also UCX's) may receive a signal, and two threads may handle one each
 * at the same time. */
static atomic_bool stop_wanted;
static atomic_uint answers;
static sem_t asked;
static uint64_t drain_s;         /* time for an orderly end */
static atomic_ullong drained_ns; /* when that is over; 0: before the signal */
static char late[64];            /* the end of the line about a function that still runs */
static pthread_t runner;         /* the thread that runs functions */

static void on_signal(int number)
{
    int problem = errno;
    if (atomic_exchange(&stop_wanted, true)) {
        (void)signal(number, SIG_DFL);
        (void)raise(number); /* takes effect when this handler returns */
    }
    atomic_store(&drained_ns, tool_clock_ns() + drain_s * 1000000000ull);
    (void)sem_post(&asked);
    errno = problem;
}

void node_end_catch_signals(bool restart, uint64_t seconds)
{
    const struct sigaction action = {.sa_handler = on_signal,
                                     .sa_flags = restart ? SA_RESTART : 0};
    drain_s = seconds;
    (void)snprintf(late, sizeof late, " still runs %" PRIu64 " s after SIGINT or SIGTERM\n",
                   seconds);
    (void)sem_init(&asked, 0, 0);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool node_end_is_wanted(void)
{
    return atomic_load_explicit(&stop_wanted, memory_order_relaxed);
}

uint64_t node_end_left_ns(void)
{
    const uint64_t end_ns = atomic_load(&drained_ns), begin_ns = tool_clock_ns() + RESERVE_NS;
    return end_ns > begin_ns ? end_ns - begin_ns : 1;
}

/* --- while a function runs ---------------------------------------------------------------- */

/* Async-signal-safe. */
static void end_now(const char *what)
{
    char line[64 + TC_CODE_TEXT_MAX + sizeof late];
    size_t size = 0;
    const char *const parts[] = {node_say_name(NODE_ERROR), ": ends at once: ", what, late};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const size_t more = strlen(parts[i]);
        memcpy(line + size, parts[i], more);
        size += more;
    }
    ssize_t written = write(STDERR_FILENO, line, size);
    (void)written; /* a failure cannot be reported anywhere */
    _exit(1);
}

/* Runs in the thread that runs functions, which alone knows the current one. */
static void on_question(int number)
{
    char text[TC_CODE_TEXT_MAX];
    (void)number;
    if (tc_code_running(text, sizeof text) > 0)
        end_now(text);
    atomic_fetch_add(&answers, 1);
}

static void rest(time_t seconds)
{
    struct timespec left = {.tv_sec = seconds};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* Asks every DEAF_S seconds. An answer means that no function runs: the process is ending in
 * order. No answer means that a function blocks signals. If the question cannot be sent, only
 * the second signal ends the process. */
static void *count_seconds(void *none)
{
    unsigned before;
    while (sem_wait(&asked) != 0)
        ;
    rest((time_t)drain_s);
    do {
        before = atomic_load(&answers);
        if (pthread_kill(runner, QUESTION) != 0)
            return none;
        rest(DEAF_S);
    } while (atomic_load(&answers) != before);
    end_now("a function that blocks signals");
    return none;
}

void node_end_force(void)
{
    const struct sigaction action = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    runner = pthread_self();
    sigaction(QUESTION, &action, NULL);
    if (pthread_attr_init(&attributes) != 0)
        return;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int problem = pthread_create(&thread, &attributes, count_seconds, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (problem != 0)
        node_say(NODE_WARNING, "no thread that ends it: %s", strerror(problem));
}

int node_end_complain(const char *text)
{
    node_say(NODE_ERROR, "%s", text);
    return 1;
}
