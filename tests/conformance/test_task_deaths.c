/* The death of a process that functions wait for, in calls, for credit and for words of its
 * window: every wait ends with a status soon after the death was noticed, and the memory comes
 * back. TASK_DEATH_WAITS is the number of functions. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"
#include "context/context_object.h"

#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <tc/call.h>
#include <tc/task.h>
#include <tc/window.h>
#include <unistd.h>

#define SOON_NS 1000000000ull
#define ROUNDS 3
/* The allocator has some memory in use for other reasons: records that are kept for further
 * tasks, and the tables of calls and timers, which do not shrink. */
#define KEPT_BYTES ((size_t)2 << 20)

/* --- the process that dies ---------------------------------------------------------------- */

typedef struct doomed {
    pid_t pid;
    char host_port[32];
    tc_gptr at; /* its window */
} doomed;

typedef struct doomed_report {
    uint16_t port;
    tc_gptr at;
} doomed_report;

static _Noreturn void be_doomed(int fd, const char *identity)
{
    static uint64_t memory[8] = {42};
    static check_state state;
    tc_context *ctx;
    tc_listener *listener;
    doomed_report report = {0};
    const tc_window_params params = {.memory = memory,
                                     .bytes = sizeof memory,
                                     .rights = TC_WINDOW_READ,
                                     .identity = identity};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (tc_context_create(NULL, &ctx, NULL) != TC_OK ||
        tc_listener_open(ctx, "127.0.0.1:0", &listener, NULL) != TC_OK ||
        (identity[0] != '\0' && tc_window_open(ctx, &params, &report.at, NULL) != TC_OK))
        _exit(1);
    tc_context_set_target_args(ctx, &state);
    report.port = tc_listener_port(listener);
    if (write(fd, &report, sizeof report) != (ssize_t)sizeof report)
        _exit(1);
    (void)tc_serve(ctx, NULL);
    _exit(1);
}

/* Before this process has threads. */
static void doomed_start(doomed *d, const char *identity)
{
    int fds[2];
    doomed_report report;
    assert_int_equal(pipe(fds), 0);
    d->pid = fork();
    assert_true(d->pid >= 0);
    if (d->pid == 0)
        be_doomed(fds[1], identity);
    (void)close(fds[1]);
    const ssize_t n = read(fds[0], &report, sizeof report);
    (void)close(fds[0]);
    assert_int_equal(n, sizeof report);
    d->at = report.at;
    (void)snprintf(d->host_port, sizeof d->host_port, "127.0.0.1:%u", report.port);
}

/* The identity that peers of this test prove; "" on ways without identities. */
static void own_identity(char identity[256])
{
    pair p;
    pair_open(&p, NULL);
    pair_pause(&p);
    (void)snprintf(identity, 256, "%s", p.target->core.first->peer.identity);
    pair_resume(&p);
    pair_close(&p);
}

/* --- the functions that wait -------------------------------------------------------------- */

/* Notes of the target's thread; read them while that pauses. */
typedef struct deaths {
    pair p;
    uint64_t noticed_ns, over_ns;
} deaths;

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    deaths *d = user;
    if (event == TC_EP_FAILED && ep == d->p.target_state.other)
        d->noticed_ns = tci_clock_ns();
}

static size_t waiting(pair *p)
{
    pair_pause(p);
    const size_t count = tc_task_count(p->target);
    pair_resume(p);
    return count;
}

static void begin_waits(pair *p, tc_ifunc *fn, const doomed *d, size_t count)
{
    const patient_order relay = {.kind = PATIENT_RELAY};
    const patient_order fetch = {.kind = PATIENT_FETCH, .at = d->at};
    for (size_t i = 0; i < count; i++) {
        const patient_order *order = i % 2 == 0 || d->at.generation == 0 ? &relay : &fetch;
        assert_ok(pair_send(p->ep, fn, order, sizeof *order));
    }
    pair_flush(p->ep);
}

static void connect_to(deaths *d, const doomed *who)
{
    tc_error error = {0};
    tc_ep *ep;
    pair_pause(&d->p);
    tc_context_set_ep_callback(d->p.target, on_endpoint, d);
    must(tc_ep_connect(d->p.target, who->host_port, PAIR_TIMEOUT_NS, &ep, &error), &error,
         "connect");
    d->p.target_state.other = ep;
    d->noticed_ns = 0;
    pair_resume(&d->p);
}

/* All wait, then it dies. Returns how long after the news the last one ended. */
static uint64_t let_die(deaths *d, const doomed *who, tc_ifunc *fn, size_t count)
{
    pair *p = &d->p;
    const uint64_t before = p->target_state.replies;
    connect_to(d, who);
    begin_waits(p, fn, who, 2); /* their code is there, and they are answered */
    while (waiting(p) > 0)
        sched_yield();
    assert_int_equal(p->target_state.replies, before);
    assert_int_equal(kill(who->pid, SIGSTOP), 0);
    begin_waits(p, fn, who, count);
    assert_int_equal(waiting(p), count);
    assert_int_equal(kill(who->pid, SIGKILL), 0);
    assert_int_equal(waitpid(who->pid, NULL, 0), who->pid);
    const uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    while (waiting(p) > 0 && tci_deadline_left_ns(deadline_ns) > 0)
        (void)tc_wait(p->source, 200000);
    const uint64_t over_ns = tci_clock_ns();
    pair_pause(p);
    assert_int_equal(tc_task_count(p->target), 0);
    assert_int_equal(tc_call_count(p->target), 0);
    assert_int_equal(p->target_state.replies, before + count); /* each with a status */
    assert_true(d->noticed_ns != 0);
    tc_ep_close(p->target_state.other);
    p->target_state.other = NULL;
    pair_resume(p);
    return over_ns > d->noticed_ns ? over_ns - d->noticed_ns : 0;
}

TEST(a_rank_that_dies_ends_the_waits_for_it)
{
    static deaths d;
    doomed who[ROUNDS];
    char identity[256];
    const char *text = getenv("TASK_DEATH_WAITS");
    const size_t count = text != NULL ? strtoull(text, NULL, 10) : 2000;
    own_identity(identity);
    for (size_t i = 0; i < ROUNDS; i++)
        doomed_start(&who[i], identity);
    memset(&d, 0, sizeof d);
    pair_open(&d.p, NULL);
    tc_ifunc *fn = pair_ifunc(&d.p, "patient");
    const size_t at_first = mallinfo2().uordblks;
    for (size_t i = 0; i < ROUNDS; i++) {
        const uint64_t took_ns = let_die(&d, &who[i], fn, count);
        const size_t in_use = mallinfo2().uordblks;
        print_message("%zu waits ended %llu ms after the news; %zu KiB in use, %zu before\n",
                      count, (unsigned long long)(took_ns / 1000000), in_use / 1024,
                      at_first / 1024);
        assert_true(TCI_SANITIZED || in_use < at_first + KEPT_BYTES);
        assert_true(text == NULL || took_ns < SOON_NS); /* a measurement, on a quiet machine */
    }
    pair_close(&d.p);
}
