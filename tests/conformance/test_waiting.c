/* Sleeping and being woken; run once for each delivery. Sleeps are bounded by an hour here, so
 * a wake-up that is lost shows as a call that fails at its deadline. */
#include "../shipped/meanwhile.h"
#include "../support/pair.h"
#include "../support/test.h"

#include "base/clock.h"

#include <poll.h>
#include <sched.h>
#include <tc/advanced.h>

#define HOUR_NS 3600000000000ull
#define DEADLINE_NS 20000000000ull
#define RACES 20000u
#define PEERS 7u
#define RING_BYTES 4096u
#define FRAME_BYTES 256u /* of a payload of 200 */

/* --- a sender that waits for space ------------------------------------------------------- */

/* Sleeps at once, for an hour. */
static const char *const sleepy_ring[] = {"ring_bytes", "4K", "wait", "block",
                                          "sleep_max",  "1h", NULL};

static void send_waiting(pair *p, tc_ifunc *fn, uint64_t n, size_t size)
{
    uint8_t *payload = malloc(size + 1);
    tc_status status;
    check_fill(payload, n, size);
    while ((status = tc_send(p->ep, fn, payload, size)) == TC_E_AGAIN)
        assert_ok(tc_wait(p->source, DEADLINE_NS));
    assert_ok(status);
    free(payload);
}

TEST(who_waits_for_room_goes_on_when_there_is_some)
{
    pair p;
    pair_open(&p, sleepy_ring);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 3000; n++)
        send_waiting(&p, fn, n, 16);
    for (uint64_t n = 3000; n < 3020; n++) /* in parts, or beside the ring */
        send_waiting(&p, fn, n, 300000);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 3020);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

/* A sender that has space already is not notified of it. */
TEST(without_a_send_that_failed_room_wakes_nobody)
{
    pair p;
    pair_open(&p, sleepy_ring);
    pair_send_check(p.ep, pair_ifunc(&p, "check"), 0, 16);
    pair_flush(p.ep);
    assert_ok(tc_wait(p.source, DEADLINE_NS)); /* the endpoint opened */
    assert_status(tc_wait(p.source, 50000000), TC_E_TIMEOUT);
    pair_close(&p);
}

/* --- a target that waits ------------------------------------------------------------- */

static void *wait_for_ever(void *arg)
{
    pair *p = arg;
    tc_status status = TC_OK;
    while (!atomic_load(&p->server.stop) && status == TC_OK)
        status = tc_wait(p->target, HOUR_NS);
    return NULL;
}

static void stop_at_the_end(void *user, tc_ep *ep, tc_ep_event event)
{
    pair *p = user;
    (void)ep;
    if (event != TC_EP_OPENED)
        atomic_store(&p->server.stop, true);
}

static void end_thread(pair *p)
{
    atomic_store(&p->server.stop, true);
    pthread_join(p->server.thread, NULL);
    atomic_store(&p->server.stop, false);
}

/* The target's thread waits until the endpoint ends. */
static void open_sleepy(pair *p, const char *policy)
{
    pair_open(p, (const char *const[]){"wait", policy, "sleep_max", "1h", NULL});
    end_thread(p);
    tc_context_set_ep_callback(p->target, stop_at_the_end, p);
    assert_int_equal(pthread_create(&p->server.thread, NULL, wait_for_ever, p), 0);
}

static void close_sleepy(pair *p, uint64_t messages)
{
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(p->target_state.next, messages);
    pair_close(p);
}

/* A sleeper without a wakeup finds at its deadline that all was run. */
static void flush_in_time(tc_ep *ep)
{
    uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    assert_ok(tc_ep_flush(ep, DEADLINE_NS, NULL));
    assert_true(tci_clock_ns() < deadline_ns);
}

static void let_pass(uint64_t ns)
{
    uint64_t until_ns = tci_clock_ns() + ns;
    while (tci_clock_ns() < until_ns)
        sched_yield();
}

/* --- waking -------------------------------------------------------------------------- */

static void check_policy(const char *policy)
{
    pair p;
    uint64_t n = 0;
    open_sleepy(&p, policy);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (unsigned round = 0; round < 20; round++) {
        let_pass(2000000); /* both sides have gone as far to sleep as they go */
        for (unsigned i = 0; i <= round; i++)
            pair_send_check(p.ep, fn, n++, round * 40);
        flush_in_time(p.ep);
    }
    close_sleepy(&p, n);
}

TEST(a_target_that_spins_is_reached)
{
    check_policy("spin");
}

TEST(a_target_that_adapts_is_woken)
{
    check_policy("adaptive");
}

TEST(a_target_that_blocks_is_woken)
{
    check_policy("block");
}

/* Messages at every moment of lying down, sleeping and getting up. The flush sleeps as well, so
 * each round is a race in both directions. */
TEST(no_message_is_lost_between_sleep_and_wake)
{
    pair p;
    uint64_t random = 1;
    open_sleepy(&p, "block");
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < RACES; n++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        pair_send_check(p.ep, fn, n, n % 2 == 0 ? 8 : 100);
        flush_in_time(p.ep);
        uint64_t until_ns = tci_clock_ns() + (random >> 33) % 40000;
        while (tci_clock_ns() < until_ns)
            ;
    }
    close_sleepy(&p, RACES);
}

static void stop_after_the_last(void *user, tc_ep *ep, tc_ep_event event)
{
    static unsigned ended;
    ended += event != TC_EP_OPENED;
    if (ended % PEERS == 0)
        stop_at_the_end(user, ep, event);
}

/* So many that connections are found by epoll, and a sleeper that they wake does nothing else.
 * Each of them, and tc_wake, has to wake it. */
TEST(each_of_many_peers_wakes_it)
{
    pair p;
    tc_ep *eps[PEERS];
    uint64_t n = 0;
    open_sleepy(&p, "block");
    tc_ifunc *fn = pair_ifunc(&p, "check");
    eps[0] = p.ep;
    for (unsigned i = 1; i < PEERS; i++)
        eps[i] = pair_connect(&p);
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < PEERS; i++) {
            if (round % 4 == 0)
                let_pass(1000000);
            pair_send_check(eps[i], fn, n++, round * 40);
            flush_in_time(eps[i]);
        }
    }
    let_pass(2000000);
    atomic_store(&p.server.stop, true);
    tc_wake(p.target);
    assert_int_equal(pthread_join(p.server.thread, NULL), 0);
    atomic_store(&p.server.stop, false);
    tc_context_set_ep_callback(p.target, stop_after_the_last, &p);
    assert_int_equal(pthread_create(&p.server.thread, NULL, wait_for_ever, &p), 0);
    for (unsigned i = 1; i < PEERS; i++)
        tc_ep_close(eps[i]);
    close_sleepy(&p, n);
}

/* Answers from inside, with both sides asleep in between. */
TEST(answers_wake_the_one_who_asked)
{
    pair p;
    uint8_t payload[8] = {200};
    open_sleepy(&p, "block");
    tc_ifunc *fn = pair_ifunc(&p, "echo");
    for (unsigned round = 1; round <= 10; round++) {
        assert_ok(tc_send(p.ep, fn, payload, sizeof payload));
        (void)tc_progress(p.source);
        while (p.source_state.next < round * 100)
            assert_ok(tc_wait(p.source, DEADLINE_NS));
    }
    flush_in_time(p.ep);
    assert_int_equal(p.source_state.wrong, 0);
    close_sleepy(&p, 10 * 101);
}

/* Messages that an ifunc sends while there is no space wait for credit, which must wake their
 * sender. */
TEST(queued_messages_go_on_when_there_is_room)
{
    pair p;
    uint8_t payload[200] = {2};
    pair_open(&p, (const char *const[]){"ring_bytes", "4K", "send_queue_bytes", "64M", "wait",
                                        "block", "sleep_max", "1h", NULL});
    end_thread(&p);
    tc_context_set_ep_callback(p.target, stop_at_the_end, &p);
    assert_int_equal(pthread_create(&p.server.thread, NULL, wait_for_ever, &p), 0);
    tc_ifunc *fn = pair_ifunc(&p, "flood");
    assert_ok(tc_send(p.ep, fn, payload, sizeof payload));
    while (p.source_state.next < 100)
        assert_ok(tc_wait(p.source, DEADLINE_NS));
    flush_in_time(p.ep);
    assert_int_equal(p.source_state.wrong, 0);
    close_sleepy(&p, 1 + 100 * 100);
}

/* --- the descriptor ------------------------------------------------------------------ */

/* Puts into memory ring no doorbell: the call that would lead to a sleep reports that. */
static bool is_put(void)
{
    return strcmp(getenv("EXPECTED_DELIVERY"), "put") == 0;
}

TEST(arming_says_who_cannot_be_woken)
{
    pair p;
    tc_status status;
    if (!is_put())
        skip();
    pair_open(&p, NULL);
    end_thread(&p);
    do {
        (void)tc_progress(p.source);
        (void)tc_progress(p.target);
        status = tc_context_arm(p.target);
    } while (status == TC_E_AGAIN);
    assert_status(status, TC_E_UNSUPPORTED);
    tc_context_set_ep_callback(p.target, stop_at_the_end, &p);
    assert_int_equal(pthread_create(&p.server.thread, NULL, wait_for_ever, &p), 0);
    close_sleepy(&p, 0);
}

static bool is_readable(tc_context *ctx, int timeout_ms)
{
    struct pollfd fd = {.fd = tc_context_fd(ctx), .events = POLLIN};
    return poll(&fd, 1, timeout_ms) == 1;
}

/* Until there is nothing to do but to wait. */
static void arm_when_idle(pair *p)
{
    uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    tc_status status;
    do {
        (void)tc_progress(p->source);
        (void)tc_progress(p->target);
        status = tc_context_arm(p->target);
        assert_true(tci_clock_ns() < deadline_ns);
        assert_true(status == TC_OK || status == TC_E_AGAIN);
    } while (status != TC_OK || is_readable(p->target, 0));
}

TEST(the_descriptor_shows_what_comes)
{
    pair p;
    if (is_put())
        skip();
    pair_open(&p, NULL);
    end_thread(&p);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 50; n++) {
        uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
        arm_when_idle(&p);
        pair_send_check(p.ep, fn, n, 8);
        do {
            (void)tc_progress(p.source);
            assert_true(tci_clock_ns() < deadline_ns);
        } while (!is_readable(p.target, 1));
        while (p.target_state.next <= n) {
            (void)tc_progress(p.source);
            (void)tc_progress(p.target);
            assert_true(tci_clock_ns() < deadline_ns);
        }
    }
    tc_context_set_ep_callback(p.target, stop_at_the_end, &p);
    assert_int_equal(pthread_create(&p.server.thread, NULL, wait_for_ever, &p), 0);
    close_sleepy(&p, 50);
}

/* A frame that lies in the ring is no reason to wait. */
TEST(arming_says_that_there_is_work)
{
    pair p;
    if (is_put())
        skip();
    pair_open(&p, NULL);
    end_thread(&p);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    arm_when_idle(&p);
    (void)tc_progress(p.target);
    pair_send_check(p.ep, fn, 0, 8);
    uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    do {
        (void)tc_progress(p.source);
        assert_true(tci_clock_ns() < deadline_ns);
    } while (tc_context_arm(p.target) == TC_OK && !is_readable(p.target, 0));
    while (p.target_state.next == 0) {
        (void)tc_progress(p.source);
        (void)tc_progress(p.target);
        assert_true(tci_clock_ns() < deadline_ns);
    }
    tc_context_set_ep_callback(p.target, stop_at_the_end, &p);
    assert_int_equal(pthread_create(&p.server.thread, NULL, wait_for_ever, &p), 0);
    close_sleepy(&p, 1);
}

/* As programs with an event loop of their own send: until there is no space, then they sleep.
 * All of the credit may have come before they do. */
TEST(room_is_told_to_who_had_none)
{
    pair p;
    uint8_t payload[200];
    uint64_t n = 0;
    const bool by_messages = strcmp(getenv("EXPECTED_DELIVERY"), "am") == 0;
    if (is_put())
        skip();
    pair_open(&p, (const char *const[]){"ring_bytes", "4K", "wait", "block", "sleep_max", "1h",
                                        NULL});
    end_thread(&p);
    tc_context_set_ep_callback(p.target, stop_at_the_end, &p);
    assert_int_equal(pthread_create(&p.server.thread, NULL, wait_for_ever, &p), 0);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (unsigned turn = 0; turn < 100; turn++) {
        check_fill(payload, n, sizeof payload);
        while (tc_send(p.ep, fn, payload, sizeof payload) == TC_OK)
            check_fill(payload, ++n, sizeof payload);
        for (uint64_t until_ns = tci_clock_ns() + 2000000; tci_clock_ns() < until_ns;)
            (void)tc_progress(p.source);
        /* By messages, space is freed only in a turn of this side's. Less than a quarter of the
         * ring is no reason to stay awake. */
        if (tc_context_arm(p.source) == TC_OK && by_messages) {
            uint64_t before = n;
            while (tc_send(p.ep, fn, payload, sizeof payload) == TC_OK)
                check_fill(payload, ++n, sizeof payload);
            assert_in_range(n - before, 0, RING_BYTES / 4 / FRAME_BYTES);
        }
        (void)tc_progress(p.source);
    }
    flush_in_time(p.ep);
    close_sleepy(&p, n);
}

/* The target runs the messages there and sleeps; the source does nothing meanwhile. */
static void run_and_arm(void *user)
{
    pair *p = user;
    uint64_t deadline_ns = tci_clock_ns() + DEADLINE_NS;
    do {
        (void)tc_progress(p->target);
        assert_true(tci_clock_ns() < deadline_ns);
    } while (tc_context_arm(p->target) != TC_OK || is_readable(p->target, 0));
}

/* Short calls gather, and a message behind them has them leave, though it fails itself. The
 * side that sleeps then has rung for them: a target that lay down before is not left asleep. */
TEST(who_lies_down_has_rung)
{
    pair p;
    const meanwhile_args args = {run_and_arm, &p};
    if (strcmp(getenv("EXPECTED_DELIVERY"), "direct") != 0)
        skip();
    pair_open(&p, NULL);
    end_thread(&p);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    tc_ifunc *failing = pair_ifunc(&p, "meanwhile");
    for (uint64_t n = 0; n < 2; n++) { /* the first of a turn leaves by itself */
        (void)tc_progress(p.source);
        pair_send_check(p.ep, fn, n, 8);
        run_and_arm(&p);
    }
    assert_int_equal(p.target_state.next, 2);
    pair_send_check(p.ep, fn, 2, 8);
    assert_status(tc_send(p.ep, failing, &args, sizeof args), TC_E_PAYLOAD);
    assert_int_equal(p.target_state.next, 2);
    while (tc_context_arm(p.source) == TC_E_AGAIN)
        (void)tc_progress(p.source);
    /* UCX has a turn of its own every second. */
    assert_true(is_readable(p.target, 500));
    run_and_arm(&p);
    tc_context_set_ep_callback(p.target, stop_at_the_end, &p);
    assert_int_equal(pthread_create(&p.server.thread, NULL, wait_for_ever, &p), 0);
    close_sleepy(&p, 3);
}
