/* A context that serves itself, and the threads that use it meanwhile; run once for each
 * delivery. Sleeps are bounded by an hour in most, so a missing wakeup shows at a deadline. */
#include "../shipped/travel.h"
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <signal.h>
#include <tc/call.h>
#include <tc/thread.h>

#define DEADLINE_NS TC_SECONDS(60)
#define THREADS 4u
#define CALLS 30u

static const char *const sleepy[] = {"wait", "block", "sleep_max", "1h", NULL};
static const char *const quick[] = {"wait", "adaptive", "ring_bytes", "16K", NULL};
static const char *const restless[] = {"wait", "spin", "ring_bytes", "4K", NULL};
static const char *const *const policies[] = {sleepy, quick, restless};

static void lock(tc_context *ctx)
{
    tc_error error = {0};
    must(tc_context_lock(ctx, DEADLINE_NS, &error), &error, "lock");
}

static void start_thread(tc_context *ctx, const tc_thread_params *params)
{
    tc_error error = {0};
    must(tc_context_start_thread(ctx, params, &error), &error, "thread");
}

static void stop_thread(tc_context *ctx)
{
    tc_error error = {0};
    must(tc_context_stop_thread(ctx, &error), &error, "thread");
}

/* Both ends serve themselves. */
static void open_served(pair *p, const char *const *options)
{
    pair_open(p, options);
    server_stop(&p->server);
    start_thread(p->target, NULL);
    start_thread(p->source, NULL);
}

/* While the threads still run. */
static void close_served(pair *p)
{
    lock(p->source);
    tc_ep_close(p->ep);
    tc_context_unlock(p->source);
    tc_context_destroy(p->source);
    lock(p->target); /* held or not */
    tc_context_destroy(p->target);
}

/* --- sending ----------------------------------------------------------------------------- */

typedef struct senders {
    pair *p;
    tc_ifunc *fn;
    uint64_t next; /* under the source's lock */
    uint64_t each;
    unsigned batch;
} senders;

static void *send_in_batches(void *arg)
{
    senders *s = arg;
    uint8_t payload[48];
    for (uint64_t i = 0; i < s->each; i += s->batch) {
        lock(s->p->source);
        for (unsigned k = 0; k < s->batch; k++) {
            tc_status status;
            do { /* another sends meanwhile, if this one has to wait */
                const size_t size = s->next % sizeof payload;
                check_fill(payload, s->next, size);
                status = tc_send(s->p->ep, s->fn, payload, size);
            } while (status == TC_E_AGAIN && tc_wait(s->p->source, DEADLINE_NS) == TC_OK);
            must(status, NULL, "send");
            s->next++;
        }
        tc_context_unlock(s->p->source);
    }
    return NULL;
}

static void send_from_many(pair *p, tc_ifunc *fn, uint64_t each, unsigned batch)
{
    senders s = {.p = p, .fn = fn, .each = each, .batch = batch};
    pthread_t threads[THREADS];
    s.next = p->target_state.next;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, send_in_batches, &s), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    lock(p->source);
    pair_flush(p->ep);
    tc_context_unlock(p->source);
    lock(p->target);
    assert_int_equal(p->target_state.next, s.next);
    assert_int_equal(p->target_state.wrong, 0);
    tc_context_unlock(p->target);
}

TEST(many_threads_send)
{
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
        pair p;
        open_served(&p, policies[i]);
        lock(p.source);
        tc_ifunc *check = pair_ifunc(&p, "check");
        tc_context_unlock(p.source);
        send_from_many(&p, check, 100, 1);
        send_from_many(&p, check, 2000, 50);
        close_served(&p);
    }
}

/* One message at a time, each while all sleep. */
TEST(a_message_leaves_although_all_sleep)
{
    pair p;
    open_served(&p, sleepy);
    lock(p.source);
    tc_ifunc *check = pair_ifunc(&p, "check");
    tc_context_unlock(p.source);
    for (uint64_t n = 0; n < 20; n++) {
        uint8_t payload[32];
        uint64_t seen = 0;
        (void)usleep(2000);
        check_fill(payload, n, sizeof payload);
        lock(p.source);
        assert_ok(tc_send(p.ep, check, payload, sizeof payload));
        tc_context_unlock(p.source);
        while (seen <= n) {
            (void)usleep(500);
            lock(p.target);
            seen = p.target_state.next;
            tc_context_unlock(p.target);
        }
    }
    assert_int_equal(p.target_state.wrong, 0);
    close_served(&p);
}

/* --- calls that wait --------------------------------------------------------------------- */

typedef struct caller {
    pair *p;
    tc_ifunc *travel;
    pthread_t thread;
    unsigned number;
    unsigned right;
} caller;

static bool call_once(caller *c, unsigned i)
{
    struct {
        travel_order order;
        uint64_t mark;
    } args = {.order = {.task = TRAVEL_ECHO}, .mark = c->number * 1000000u + i};
    uint64_t answer = 0;
    size_t size = sizeof answer;
    tc_error error = {0};
    lock(c->p->source);
    must(tc_call(c->p->ep, c->travel, &args, sizeof args, &answer, &size, DEADLINE_NS, &error),
         &error, "call");
    tc_context_unlock(c->p->source);
    return size == sizeof answer && answer == args.mark;
}

static void *call_often(void *arg)
{
    caller *c = arg;
    for (unsigned i = 0; i < CALLS; i++)
        c->right += call_once(c, i);
    return NULL;
}

static void start_callers(caller *callers, pair *p, tc_ifunc *travel)
{
    for (unsigned i = 0; i < THREADS; i++) {
        callers[i] = (caller){.p = p, .travel = travel, .number = i};
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
    }
}

static void end_callers(caller *callers)
{
    for (unsigned i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
        assert_int_equal(callers[i].right, CALLS);
    }
}

TEST(many_threads_wait_for_their_answers)
{
    for (unsigned i = 0; i < sizeof policies / sizeof *policies; i++) {
        pair p;
        caller callers[THREADS];
        open_served(&p, policies[i]);
        lock(p.source);
        tc_ifunc *travel = pair_ifunc(&p, "travel");
        tc_context_unlock(p.source);
        start_callers(callers, &p, travel);
        end_callers(callers);
        close_served(&p);
    }
}

/* A thread that is stopped leaves its guests to themselves, and one that starts takes over. */
TEST(the_thread_stops_and_starts_among_calls)
{
    pair p;
    caller callers[THREADS];
    open_served(&p, quick);
    lock(p.source);
    tc_ifunc *travel = pair_ifunc(&p, "travel");
    tc_context_unlock(p.source);
    start_callers(callers, &p, travel);
    for (unsigned i = 0; i < 20; i++) {
        stop_thread(p.source);
        (void)usleep(1000);
        start_thread(p.source, NULL);
    }
    end_callers(callers);
    close_served(&p);
}

/* One waits for an answer that takes long, the others are not kept waiting. */
TEST(who_waits_lets_others_in)
{
    pair p;
    tc_error error = {0};
    open_served(&p, sleepy);
    lock(p.source);
    tc_ifunc *travel = pair_ifunc(&p, "travel"), *check = pair_ifunc(&p, "check");
    const travel_order keep = {.task = TRAVEL_KEEP};
    caller other = {.p = &p, .travel = travel};
    assert_int_equal(pthread_create(&other.thread, NULL, call_often, &other), 0);
    assert_status(
        tc_call(p.ep, travel, &keep, sizeof keep, NULL, NULL, TC_MILLISECONDS(50), &error),
        TC_E_TIMEOUT);
    assert_ok(tc_send_wait(p.ep, check, "", 0, DEADLINE_NS, &error));
    assert_ok(tc_ep_flush(p.ep, DEADLINE_NS, &error));
    tc_context_unlock(p.source);
    assert_int_equal(pthread_join(other.thread, NULL), 0);
    assert_int_equal(other.right, CALLS);
    close_served(&p);
}

/* --- endpoints --------------------------------------------------------------------------- */

TEST(endpoints_come_and_go)
{
    pair p;
    open_served(&p, sleepy);
    lock(p.source);
    tc_ifunc *check = pair_ifunc(&p, "check");
    for (unsigned i = 0; i < 5; i++) {
        tc_error error = {0};
        tc_ep *ep = pair_connect(&p);
        must(tc_ep_prepare(ep, check, DEADLINE_NS, &error), &error, "prepare");
        tc_ep_close(ep);
    }
    tc_context_unlock(p.source);
    close_served(&p);
}

TEST(an_endpoint_finishes_while_a_thread_serves)
{
    pair p;
    tc_error error = {0};
    uint64_t lost = 999;
    open_served(&p, quick);
    lock(p.source);
    tc_ifunc *check = pair_ifunc(&p, "check");
    tc_ep *ep = pair_connect(&p);
    for (uint64_t n = 0; n < 100; n++)
        pair_send_check(ep, check, n, 8);
    must(tc_ep_finish(ep, DEADLINE_NS, &lost, &error), &error, "finish");
    assert_int_equal(lost, 0);
    tc_context_unlock(p.source);
    lock(p.target);
    assert_int_equal(p.target_state.next, 100);
    tc_context_unlock(p.target);
    lock(p.source);
    must(tc_context_finish(p.source, DEADLINE_NS, &lost, &error), &error, "finish");
    assert_int_equal(lost, 0);
    tc_context_destroy(p.target);
}

static void *connect_by_itself(void *arg)
{
    pair *p = arg;
    lock(p->source);
    tc_ep *ep = pair_connect(p);
    tc_ep_close(ep);
    tc_context_unlock(p->source);
    return NULL;
}

TEST(several_connect_at_once)
{
    pair p;
    pthread_t threads[THREADS];
    open_served(&p, quick);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, connect_by_itself, &p), 0);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    close_served(&p);
}

TEST(a_dead_peer_ends_a_call)
{
    pair p;
    tc_error error = {0};
    const travel_order keep = {.task = TRAVEL_KEEP};
    open_served(&p, quick);
    lock(p.source);
    tc_ifunc *travel = pair_ifunc(&p, "travel");
    must(tc_ep_prepare(p.ep, travel, DEADLINE_NS, &error), &error, "prepare");
    tc_context_destroy(p.target);
    assert_int_not_equal(
        tc_call(p.ep, travel, &keep, sizeof keep, NULL, NULL, DEADLINE_NS, &error), TC_OK);
    assert_int_not_equal(error.status, TC_E_TIMEOUT);
    tc_ep_close(p.ep);
    tc_context_unlock(p.source);
    tc_context_destroy(p.source);
}

/* --- polling with the lock --------------------------------------------------------------- */

TEST(the_thread_has_its_turns_where_others_poll)
{
    pair p;
    uint8_t payload[8];
    open_served(&p, quick);
    lock(p.source);
    tc_ifunc *check = pair_ifunc(&p, "check");
    check_fill(payload, 0, sizeof payload);
    assert_ok(tc_send(p.ep, check, payload, sizeof payload));
    tc_context_unlock(p.source);
    lock(p.target);
    while (p.target_state.next == 0)
        assert_int_equal(tc_progress(p.target), 0);
    assert_int_equal(p.target_state.next, 1);
    assert_status(tc_wait(p.target, 0), TC_E_TIMEOUT);
    tc_wake(p.target);
    assert_ok(tc_wait(p.target, DEADLINE_NS));
    tc_context_unlock(p.target);
    close_served(&p);
}

/* --- forbidden calls ----------------------------------------------------------------- */

static void expect_busy(tc_status status, tc_error *error, const char *text)
{
    assert_status(status, TC_E_BUSY);
    if (strstr(error->text, text) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", text, error->text);
}

typedef struct inside {
    atomic_uint times;
    bool signals_are_right;
    char name[16];
} inside;

static void ask_inside(void *user, tc_ep *ep, tc_ep_event event)
{
    inside *in = user;
    tc_context *ctx = tc_ep_context(ep);
    tc_error error = {0};
    sigset_t blocked;
    (void)event;
    expect_busy(tc_context_lock(ctx, DEADLINE_NS, &error), &error, "holds it already");
    expect_busy(tc_context_stop_thread(ctx, &error), &error, "inside");
    expect_busy(tc_context_start_thread(ctx, NULL, &error), &error, "inside");
    tc_context_unlock(ctx); /* is ignored */
    tc_context_destroy(ctx);
    expect_busy(tc_context_lock(ctx, DEADLINE_NS, &error), &error, "holds it already");
    (void)pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    in->signals_are_right = sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGUSR1) &&
                            !sigismember(&blocked, SIGSEGV);
    (void)pthread_getname_np(pthread_self(), in->name, sizeof in->name);
    (void)atomic_fetch_add(&in->times, 1);
}

TEST(nothing_of_this_is_called_inside_a_callback)
{
    pair p;
    inside in = {.times = 0};
    const tc_thread_params params = {.name = "server of p"};
    pair_open(&p, NULL);
    tc_context_set_ep_callback(p.source, ask_inside, &in);
    server_stop(&p.server);
    start_thread(p.source, &params);
    tc_context_destroy(p.target);
    while (atomic_load(&in.times) == 0)
        (void)usleep(1000);
    assert_true(in.signals_are_right);
    assert_string_equal(in.name, "server of p");
    tc_context_destroy(p.source);
}
