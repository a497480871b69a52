/* Waiting for space, being woken from elsewhere, and serving until a stop; run once for each
 * delivery. Sleeps are bounded by an hour here, so a missing wakeup shows at a deadline. */
#include "../support/pair.h"
#include "../support/test.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define DEADLINE_NS TC_SECONDS(60)

static const char *const sleepy[] = {"ring_bytes", "4K", "wait", "block",
                                     "sleep_max",  "1h", NULL};

/* --- waking ------------------------------------------------------------------------------ */

TEST(a_wake_up_counts_once_and_also_before)
{
    pair p;
    pair_open(&p, sleepy);
    while (tc_wait(p.source, TC_MILLISECONDS(20)) == TC_OK)
        ; /* the endpoint opened */
    tc_wake(p.source);
    tc_wake(p.source);
    assert_ok(tc_wait(p.source, DEADLINE_NS));
    assert_status(tc_wait(p.source, TC_MILLISECONDS(20)), TC_E_TIMEOUT);
    tc_wake(p.source);
    (void)tc_progress(p.source);
    for (unsigned i = 0; i < 1000; i++)
        (void)tc_progress(p.source); /* does not lose it */
    assert_ok(tc_wait(p.source, DEADLINE_NS));
    pair_close(&p);
}

static void *wake(void *ctx)
{
    tc_wake(ctx);
    return NULL;
}

TEST(another_thread_wakes)
{
    static const char *const policies[] = {"block", "adaptive", "spin"};
    for (unsigned i = 0; i < 3; i++) {
        pair p;
        pthread_t thread;
        pair_open(&p, (const char *const[]){"wait", policies[i], "sleep_max", "1h", NULL});
        while (tc_wait(p.source, TC_MILLISECONDS(20)) == TC_OK)
            ;
        for (unsigned round = 0; round < 100; round++) {
            assert_int_equal(pthread_create(&thread, NULL, wake, p.source), 0);
            assert_ok(tc_wait(p.source, DEADLINE_NS));
            assert_int_equal(pthread_join(thread, NULL), 0);
        }
        pair_close(&p);
    }
}

static tc_context *woken_by_signal;

static void on_signal(int number)
{
    (void)number;
    tc_wake(woken_by_signal);
}

TEST(a_signal_handler_wakes)
{
    struct sigaction action = {.sa_handler = on_signal}, before;
    pair p;
    pair_open(&p, sleepy);
    while (tc_wait(p.source, TC_MILLISECONDS(20)) == TC_OK)
        ;
    woken_by_signal = p.source;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    errno = ENOTNAM;
    assert_int_equal(raise(SIGUSR1), 0);
    assert_int_equal(errno, ENOTNAM);
    assert_ok(tc_wait(p.source, DEADLINE_NS));
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
    pair_close(&p);
}

/* --- serving ----------------------------------------------------------------------------- */

typedef struct service {
    tc_context *ctx;
    volatile int over;
    tc_status status;
    pthread_t thread;
} service;

static void *serve(void *arg)
{
    service *s = arg;
    s->status = tc_serve(s->ctx, &s->over);
    return NULL;
}

/* Replaces the pair's own server. */
static void begin_service(service *s, pair *p)
{
    pair_pause(p);
    *s = (service){.ctx = p->target, .status = TC_E_BUSY};
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void end_service(service *s, pair *p, bool wakes)
{
    __atomic_store_n(&s->over, 1, __ATOMIC_RELEASE);
    if (wakes)
        tc_wake(s->ctx);
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    assert_ok(s->status);
    pair_resume(p);
}

TEST(messages_run_until_the_flag_is_set)
{
    pair p;
    service s;
    pair_open(&p, sleepy);
    tc_ifunc *check = pair_ifunc(&p, "check");
    uint64_t n = 0;
    for (unsigned round = 0; round < 10; round++) {
        begin_service(&s, &p);
        for (unsigned i = 0; i < 20; i++)
            pair_send_check(p.ep, check, n++, 40);
        pair_flush(p.ep);
        end_service(&s, &p, round != 5); /* a flag alone is seen, too */
        assert_int_equal(p.target_state.next, n);
    }
    const int over = 1;
    assert_ok(tc_serve(p.source, &over));
    pair_close(&p);
}

static void *serve_until_signal(void *arg)
{
    service *s = arg;
    s->over = 0;
    s->status = tc_serve_until_signal(s->ctx, (int *)&s->over);
    return NULL;
}

static void (*handler_of(int number))(int)
{
    struct sigaction action;
    assert_int_equal(sigaction(number, NULL, &action), 0);
    return action.sa_handler;
}

TEST(messages_run_until_a_signal_comes)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGTERM};
    struct sigaction action;
    pair p;
    uint64_t n = 0;
    pair_open(&p, sleepy);
    tc_ifunc *check = pair_ifunc(&p, "check");
    for (unsigned round = 0; round < 3; round++) {
        service s = {.ctx = p.target, .status = TC_E_BUSY};
        void (*before)(int) = round == 1 ? SIG_IGN : SIG_DFL; /* of SIGINT */
        assert_ptr_not_equal(signal(SIGINT, before), SIG_ERR);
        pair_pause(&p);
        assert_int_equal(pthread_create(&s.thread, NULL, serve_until_signal, &s), 0);
        pair_send_check(p.ep, check, n++, 40);
        pair_flush(p.ep); /* it serves */
        assert_true(before != SIG_IGN || handler_of(SIGINT) == SIG_IGN);
        assert_int_equal(sigaction(numbers[round], NULL, &action), 0);
        assert_ptr_not_equal(action.sa_handler, SIG_DFL);
        assert_true((action.sa_flags & (int)SA_RESETHAND) !=
                    0); /* once more ends the process */
        assert_status(tc_serve_until_signal(p.source, NULL), TC_E_IN_USE);
        assert_int_equal(kill(getpid(), numbers[round]), 0);
        assert_int_equal(pthread_join(s.thread, NULL), 0);
        assert_ok(s.status);
        assert_int_equal(s.over, numbers[round]);
        assert_true(handler_of(SIGINT) == before);
        assert_true(handler_of(SIGTERM) == SIG_DFL);
        pair_resume(&p);
    }
    assert_ptr_not_equal(signal(SIGINT, SIG_DFL), SIG_ERR);
    assert_int_equal(p.target_state.next, n);
    pair_close(&p);
}

/* --- waiting for space -------------------------------------------------------------------- */

TEST(a_target_that_stands_ends_the_wait)
{
    uint8_t payload[200] = {0};
    tc_error error = {0};
    tc_status status = TC_OK;
    pair p;
    pair_open(&p, sleepy);
    tc_ifunc *check = pair_ifunc(&p, "check");
    uint64_t n = 0;
    pair_send_check(p.ep, check, n++, sizeof payload);
    pair_flush(p.ep);
    pair_pause(&p);
    while (status == TC_OK) {
        check_fill(payload, n, sizeof payload);
        status =
            tc_send_wait(p.ep, check, payload, sizeof payload, TC_MILLISECONDS(20), &error);
        n += status == TC_OK;
        assert_true(n < 100000);
    }
    assert_status(status, TC_E_TIMEOUT);
    assert_status(error.status, TC_E_TIMEOUT);
    assert_string_equal(error.text, "the peer has freed no capacity for the message in time");
    assert_status(tc_send_wait(p.ep, check, payload, sizeof payload, 0, NULL), TC_E_TIMEOUT);
    pair_resume(&p);
    for (unsigned i = 0; i < 2000; i++) {
        check_fill(payload, n++, sizeof payload);
        assert_ok(tc_send_wait(p.ep, check, payload, sizeof payload, TC_FOREVER, &error));
    }
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, n);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

TEST(failures_have_a_text)
{
    static uint8_t payload[128 << 10];
    tc_error error = {0}, refusal = {0};
    pair p;
    pair_open(&p, (const char *const[]){"payload_bytes_max", "64K", NULL});
    tc_ifunc *check = pair_ifunc(&p, "check"), *foreign = pair_ifunc_file(&p, "foreign");
    assert_status(tc_send_wait(p.ep, check, payload, sizeof payload, DEADLINE_NS, &error),
                  TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "above the 65536 bytes that this peer takes"));
    assert_ok(tc_send_wait(p.ep, foreign, payload, 8, DEADLINE_NS, &error));
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, &refusal), 1);
    assert_status(tc_send_wait(p.ep, foreign, payload, 8, DEADLINE_NS, &error), TC_E_REFUSED);
    assert_string_equal(error.text, refusal.text);
    pair_close(&p);
}

/* --- where nothing may wait -------------------------------------------------------------- */

typedef struct asked {
    tc_ifunc *fn;
    unsigned times;
} asked;

static void ask_within(void *user, tc_ep *ep, tc_ep_event event)
{
    asked *a = user;
    tc_error error = {0};
    int never = 0;
    assert_int_not_equal(event, TC_EP_OPENED);
    assert_status(tc_serve(tc_ep_context(ep), &never), TC_E_BUSY);
    assert_status(tc_serve_until_signal(tc_ep_context(ep), NULL), TC_E_BUSY);
    assert_status(tc_send_wait(ep, a->fn, "", 0, DEADLINE_NS, &error), TC_E_BUSY);
    assert_non_null(strstr(error.text, "tc_send_wait waits"));
    a->times++;
}

TEST(nothing_waits_in_a_callback)
{
    pair p;
    pair_open(&p, NULL);
    asked a = {.fn = pair_ifunc(&p, "check")};
    tc_context_set_ep_callback(p.source, ask_within, &a);
    server_stop(&p.server);
    tc_context_destroy(p.target);
    while (a.times == 0)
        assert_ok(tc_wait(p.source, DEADLINE_NS));
    tc_context_destroy(p.source);
}
