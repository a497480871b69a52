/* An endpoint's events stand around its messages: TC_EP_OPENED before the first that runs here,
 * TC_EP_CLOSED after the last, also when several peers connect and send at once. So a program
 * can allocate its state for a peer in the one and free it in the other. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"

#include <sched.h>
#include <tc/advanced.h>
#include <tc/thread.h>

#define PEERS 4u
#define EACH 1000u

/* The target's state for one peer, as tc_ep_user. */
typedef struct kept {
    bool ended;
} kept;

/* One target at a time; the function that is sent has no other way to it. */
static struct {
    kept peers[PEERS];
    unsigned opened, ended;
    unsigned run, before_opened, after_ended;
} seen;

static void note(void *endpoint)
{
    const kept *k = tc_ep_user(endpoint);
    seen.run++;
    seen.before_opened += k == NULL;
    seen.after_ended += k != NULL && k->ended;
}

static void on_event(void *user, tc_ep *ep, tc_ep_event event)
{
    kept *k = tc_ep_user(ep);
    if (event == TC_EP_OPENED) {
        assert_true(seen.opened < PEERS);
        tc_ep_set_user(ep, &seen.peers[seen.opened++]);
        return;
    }
    assert_int_equal(event, TC_EP_CLOSED);
    assert_non_null(k);
    k->ended = true;
    __atomic_add_fetch(&seen.ended, 1, __ATOMIC_RELEASE);
}

/* A source, in a thread of its own. */
typedef struct source {
    pthread_t thread;
    pthread_barrier_t *start;
    const char *host_port; /* NULL: by address */
    const void *address;
    size_t address_size;
    tc_error error; /* TC_OK: all was sent */
} source;

static tc_status connect_source(const source *s, tc_context *ctx, tc_ep **ep_out, tc_error *err)
{
    return s->host_port != NULL ? tc_ep_connect(ctx, s->host_port, PAIR_TIMEOUT_NS, ep_out, err)
                                : tc_ep_connect_address(ctx, s->address, s->address_size,
                                                        PAIR_TIMEOUT_NS, ep_out, err);
}

static tc_status send_all(const source *s, tc_context *ctx, tc_error *err)
{
    tc_ifunc *fn;
    tc_ep *ep;
    tc_status status = tc_ifunc_open(ctx, "check", &fn, err);
    (void)pthread_barrier_wait(s->start);
    if (status == TC_OK)
        status = connect_source(s, ctx, &ep, err);
    for (unsigned n = 0; n < EACH && status == TC_OK; n++)
        status = pair_send(ep, fn, &n, sizeof n);
    return status;
}

/* The end of the context closes the endpoint, with its last messages still under way. */
static void *run_source(void *arg)
{
    source *s = arg;
    tc_context *ctx = NULL;
    s->error.status = tc_context_create(NULL, &ctx, &s->error);
    if (s->error.status == TC_OK)
        s->error.status = send_all(s, ctx, &s->error);
    tc_context_destroy(ctx);
    return NULL;
}

static tc_context *make_target(check_state *target_state)
{
    tc_context *ctx = test_context(NULL);
    *target_state = (check_state){.note = note};
    memset(&seen, 0, sizeof seen);
    tc_context_set_target_args(ctx, target_state);
    tc_context_set_ep_callback(ctx, on_event, NULL);
    return ctx;
}

static void start_sources(source *sources, pthread_barrier_t *start, const source *how)
{
    assert_int_equal(pthread_barrier_init(start, NULL, PEERS), 0);
    for (unsigned i = 0; i < PEERS; i++) {
        sources[i] = *how;
        sources[i].start = start;
        assert_int_equal(pthread_create(&sources[i].thread, NULL, run_source, &sources[i]), 0);
    }
}

static void stop_sources(source *sources, pthread_barrier_t *start)
{
    for (unsigned i = 0; i < PEERS; i++) {
        (void)pthread_join(sources[i].thread, NULL);
        must(sources[i].error.status, &sources[i].error, "source");
    }
    (void)pthread_barrier_destroy(start);
}

static void all_were_around_their_messages(void)
{
    assert_int_equal(seen.before_opened, 0);
    assert_int_equal(seen.after_ended, 0);
    assert_int_equal(seen.run, PEERS * EACH);
}

static void must_have_time(uint64_t deadline_ns)
{
    if (tci_deadline_left_ns(deadline_ns) == 0)
        fail_msg("%u opened, %u ended, %u messages ran", seen.opened, seen.ended, seen.run);
}

/* The target polls, as most do. */
static void serve_sources(tc_context *ctx, const source *how)
{
    const uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    source sources[PEERS];
    pthread_barrier_t start;
    start_sources(sources, &start, how);
    while (seen.ended < PEERS) {
        (void)tc_wait(ctx, TC_SECONDS(1) / 1000);
        must_have_time(deadline_ns);
    }
    stop_sources(sources, &start);
    all_were_around_their_messages();
}

static tc_listener *listen_at(tc_context *ctx, char host_port[32])
{
    tc_error error = {0};
    tc_listener *listener;
    must(tc_listener_open(ctx, "127.0.0.1:0", &listener, &error), &error, "listener");
    (void)snprintf(host_port, 32, "127.0.0.1:%u", tc_listener_port(listener));
    return listener;
}

TEST(events_stand_around_messages)
{
    check_state target_state;
    char host_port[32];
    tc_context *ctx = make_target(&target_state);
    (void)listen_at(ctx, host_port);
    serve_sources(ctx, &(source){.host_port = host_port});
    tc_context_destroy(ctx);
}

TEST(events_stand_around_messages_by_address)
{
    check_state target_state;
    source how = {.host_port = NULL};
    if (strcmp(getenv("EXPECTED_DELIVERY"), "stream") == 0) /* has no address */
        skip();
    tc_context *ctx = make_target(&target_state);
    how.address = tc_context_address(ctx, &how.address_size);
    serve_sources(ctx, &how);
    tc_context_destroy(ctx);
}

TEST(events_stand_around_messages_where_a_thread_serves)
{
    const uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    check_state target_state;
    char host_port[32];
    tc_error error = {0};
    source sources[PEERS];
    pthread_barrier_t start;
    tc_context *ctx = make_target(&target_state);
    (void)listen_at(ctx, host_port);
    must(tc_context_start_thread(ctx, NULL, &error), &error, "thread");
    start_sources(sources, &start, &(source){.host_port = host_port});
    while (__atomic_load_n(&seen.ended, __ATOMIC_ACQUIRE) < PEERS) {
        (void)sched_yield();
        must_have_time(deadline_ns);
    }
    stop_sources(sources, &start);
    must(tc_context_stop_thread(ctx, &error), &error, "thread");
    all_were_around_their_messages();
    tc_context_destroy(ctx);
}

/* --- the side that connects -------------------------------------------------------------- */

#define GREETINGS 10u

static void greet(void *user, tc_ep *ep, tc_ep_event event)
{
    for (unsigned n = 0; n < GREETINGS && event == TC_EP_OPENED; n++)
        must(tc_send(ep, user, &n, sizeof n), NULL, "greet");
}

static void serve_at(tc_context *ctx, unsigned count)
{
    const uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    while (seen.run < count) {
        (void)tc_wait(ctx, TC_SECONDS(1) / 1000);
        must_have_time(deadline_ns);
    }
}

/* Messages that the peer sends at once run when the program has its endpoint, and not
 * before. */
TEST(nothing_runs_before_connect_has_returned)
{
    pair p;
    tc_error error = {0};
    tc_ifunc *fn;
    kept own = {.ended = false};
    memset(&seen, 0, sizeof seen);
    pair_open(&p, NULL);
    pair_send_check(p.ep, pair_ifunc(&p, "check"), 0, 16);
    pair_flush(p.ep); /* the target has had its event of this one */
    pair_pause(&p);
    must(tc_ifunc_open(p.target, "check", &fn, &error), &error, "check");
    tc_context_set_ep_callback(p.target, greet, fn);
    pair_resume(&p);
    p.source_state.note = note;
    for (unsigned round = 1; round <= PEERS; round++) {
        tc_ep *ep = pair_connect(&p);
        assert_int_equal(seen.run, (round - 1) * GREETINGS);
        tc_ep_set_user(ep, &own);
        serve_at(p.source, round * GREETINGS);
        tc_ep_close(ep);
    }
    assert_int_equal(seen.before_opened, 0);
    pair_pause(&p);
    tc_context_set_ep_callback(p.target, NULL, NULL);
    tc_ifunc_close(fn);
    pair_close(&p);
}
