/* Closing that reports the messages that were lost (tc_ep_finish, tc_context_finish); run for
 * each delivery. A target that is paused takes nothing, so each message to it is lost. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"
#include "context/context_object.h"
#include "core/ep_state.h"
#include "core/network_ops.h"

#include <pthread.h>
#include <sys/uio.h>
#include <tc/advanced.h>
#include <tc/call.h>

#define SHORT_NS TC_MILLISECONDS(50)
#define LARGE ((size_t)3 << 20)
#define OTHERS 4u

static const char *const small_ring[] = {"ring_bytes", "4K", NULL};

/* UCX emulates puts over sockets: the target answers each. UCX 1.13 ends the process if the
 * source has gone when it does. */
static void leave_puts_under_way(void)
{
    if (strcmp(getenv("EXPECTED_DELIVERY"), "put") == 0 && getenv("UCX_TLS") != NULL)
        skip();
}

/* Opens a pair whose target knows the function, and pauses the target. Message 0 has run. */
static tc_ifunc *open_paused(pair *p, const char *const *options)
{
    leave_puts_under_way();
    pair_open(p, options);
    tc_ifunc *fn = pair_ifunc(p, "check");
    pair_send_check(p->ep, fn, 0, 8);
    pair_flush(p->ep);
    pair_pause(p);
    return fn;
}

/* Finishes the source's endpoint, which has to lose that many messages. */
static void expect_loss(pair *p, uint64_t timeout_ns, tc_status status, uint64_t expected)
{
    char words[64];
    tc_error error = {TC_OK, ""};
    uint64_t lost = 999;
    assert_int_equal(tc_ep_finish(p->ep, timeout_ns, &lost, &error), status);
    p->ep = NULL;
    assert_int_equal(lost, expected);
    assert_int_equal(error.status, status);
    if (status == TC_OK)
        return;
    (void)snprintf(words, sizeof words, "%u message%s may not have run: ", (unsigned)expected,
                   expected == 1 ? "" : "s");
    assert_memory_equal(error.text, words, strlen(words));
    assert_true(strlen(error.text) > strlen(words));
}

/* --- nothing is lost --------------------------------------------------------------------- */

TEST(finishing_waits_until_all_has_run)
{
    pair p;
    pair_open(&p, small_ring);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 300; n++)
        pair_send_check(p.ep, fn, n, (size_t)(n * 7));
    expect_loss(&p, PAIR_TIMEOUT_NS, TC_OK, 0);
    assert_int_equal(p.target_state.next, 300);
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

PAIR_TEST(a_context_that_finishes_waits_until_all_has_run)
{
    tc_error error = {TC_OK, ""};
    uint64_t lost = 999;
    tc_ifunc *fn = pair_ifunc(p, "check");
    for (uint64_t n = 0; n < 100; n++)
        pair_send_check(p->ep, fn, n, 100);
    assert_int_equal(tc_context_finish(p->source, PAIR_TIMEOUT_NS, &lost, &error), TC_OK);
    assert_int_equal(lost, 0);
    p->source = NULL;
    p->ep = NULL;
    pair_pause(p);
    assert_int_equal(p->target_state.next, 100);
}

/* An endpoint that has ended is no loss if all its messages had run. */
TEST(a_peer_that_went_after_all_had_run_is_no_loss)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    pair_send_check(p.ep, fn, 0, 100);
    pair_flush(p.ep);
    server_stop(&p.server);
    tc_context_destroy(p.target);
    while (tc_ep_error(p.ep, NULL) == TC_OK)
        assert_int_equal(tc_wait(p.source, PAIR_TIMEOUT_NS), TC_OK);
    expect_loss(&p, SHORT_NS, TC_OK, 0);
    tc_context_destroy(p.source);
}

TEST(there_may_be_nothing_to_finish)
{
    uint64_t lost = 999;
    assert_int_equal(tc_ep_finish(NULL, 0, &lost, NULL), TC_OK);
    assert_int_equal(lost, 0);
    lost = 999;
    assert_int_equal(tc_context_finish(NULL, 0, &lost, NULL), TC_OK);
    assert_int_equal(lost, 0);
    tc_context *ctx = test_context(NULL);
    assert_int_equal(tc_context_finish(ctx, 0, NULL, NULL), TC_OK);
}

/* --- a peer that takes nothing ----------------------------------------------------------- */

TEST(messages_in_the_ring_are_counted)
{
    static const size_t sizes[] = {0, 8, 48, 500};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pair p;
        tc_ifunc *fn = open_paused(&p, NULL);
        for (uint64_t n = 1; n <= 5; n++)
            pair_send_check(p.ep, fn, n, sizes[i]);
        expect_loss(&p, SHORT_NS, TC_E_TIMEOUT, 5);
        pair_close(&p);
    }
}

static void finish_with(const char *close_timeout, uint64_t timeout_ns)
{
    pair p;
    tc_ifunc *fn = open_paused(&p, (const char *const[]){"close_timeout", close_timeout, NULL});
    pair_send_check(p.ep, fn, 1, 8);
    expect_loss(&p, timeout_ns, TC_E_TIMEOUT, 1);
    pair_close(&p);
}

TEST(a_timeout_of_its_own_replaces_the_option)
{
    finish_with("50ms", 0);
    finish_with("1h", SHORT_NS);
}

/* The first message of a function carries its code, and its binding is no message. */
TEST(a_message_with_code_is_one)
{
    pair p;
    (void)open_paused(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "doubled");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pair_send(p.ep, fn, "1234567", 8), TC_OK);
    expect_loss(&p, SHORT_NS, TC_E_TIMEOUT, 3);
    pair_close(&p);
}

/* A function's messages are queued where the ring is full. */
TEST(messages_in_the_queue_are_counted)
{
    pair p;
    uint8_t payload[200] = {0};
    tc_ifunc *fn = open_paused(&p, small_ring);
    (void)tci_pending_enter(&p.source->core.pending, TCI_RUNNING);
    for (unsigned i = 0; i < 50; i++)
        assert_int_equal(tc_send(p.ep, fn, payload, sizeof payload), TC_OK);
    tci_pending_leave(&p.source->core.pending, TCI_RUNNING, 0);
    expect_loss(&p, SHORT_NS, TC_E_TIMEOUT, 50);
    pair_close(&p);
}

typedef struct ends {
    unsigned all, failed;
} ends;

static void note_end(void *user, tc_status status)
{
    ends *e = user;
    e->all++;
    e->failed += status != TC_OK;
}

/* Large ones that leave from this memory, which stays unchanged until they end. */
static void start_sends(pair *p, tc_ifunc *fn, uint8_t *large, ends *e, unsigned count)
{
    const tc_send_params params = {.done = note_end, .user = e};
    const struct iovec parts[] = {{large, LARGE}, {large, 100}};
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(tc_send_start(p->ep, fn, &parts[i % 2], 1, &params, NULL), TC_OK);
}

TEST(started_sends_are_counted_and_end)
{
    pair p;
    ends e = {0};
    uint8_t *large = calloc(1, LARGE);
    tc_ifunc *fn = open_paused(&p, NULL);
    start_sends(&p, fn, large, &e, 10);
    expect_loss(&p, SHORT_NS, TC_E_TIMEOUT, 10);
    assert_int_equal(e.all, 10);
    assert_true(e.failed > 0);
    free(large);
    pair_close(&p);
}

/* tc_send has not taken the payload: its caller knows. */
TEST(a_payload_that_was_not_accepted_is_not_counted)
{
    pair p;
    uint8_t *large = calloc(8, LARGE);
    tc_ifunc *fn = open_paused(&p, small_ring);
    pair_send_check(p.ep, fn, 1, 8);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(tc_send(p.ep, fn, large, 8 * LARGE), TC_E_AGAIN);
        (void)tc_progress(p.source);
    }
    expect_loss(&p, SHORT_NS, TC_E_TIMEOUT, 1);
    free(large);
    pair_close(&p);
}

static void note_outcome(void *user, const tc_call_outcome *outcome)
{
    *(tc_status *)user = outcome->status;
}

TEST(a_call_under_way_ends_and_its_message_is_counted)
{
    pair p;
    tc_status outcome = TC_OK;
    const tc_call_params params = {.done = note_outcome, .user = &outcome};
    tc_ifunc *fn = open_paused(&p, NULL);
    assert_int_equal(tc_call_start(p.ep, fn, "x", 1, &params, NULL, NULL), TC_OK);
    expect_loss(&p, SHORT_NS, TC_E_TIMEOUT, 1);
    (void)tc_progress(p.source);
    assert_int_equal(outcome, TC_E_CLOSED);
    pair_close(&p);
}

/* The source asks and does not read the answers. */
TEST(answers_are_counted)
{
    pair p;
    tc_error error = {TC_OK, ""};
    uint64_t lost = 0;
    const tc_call_params params = {0};
    tc_ifunc *fn = open_paused(&p, NULL);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(tc_call_start(p.ep, fn, "x", 1, &params, NULL, NULL), TC_OK);
    for (unsigned i = 0; i < 100; i++) /* they leave */
        (void)tc_progress(p.source);
    const uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    while (p.target_state.next < 4) {
        (void)tci_network_progress(&p.source->core);
        (void)tc_progress(p.target);
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    server_stop(&p.server);
    assert_int_equal(tc_context_finish(p.target, SHORT_NS, &lost, &error), TC_E_TIMEOUT);
    assert_int_equal(lost, 3);
    tc_context_destroy(p.source);
}

static int give_up(void *user)
{
    ++*(unsigned *)user;
    return 1;
}

TEST(a_program_may_give_up)
{
    pair p;
    unsigned asked = 0;
    tc_ifunc *fn = open_paused(&p, NULL);
    pair_send_check(p.ep, fn, 1, 8);
    tc_context_set_interrupt(p.source, give_up, &asked);
    expect_loss(&p, TC_FOREVER, TC_E_TIMEOUT, 1);
    assert_true(asked > 0);
    tc_context_set_interrupt(p.source, NULL, NULL);
    pair_close(&p);
}

TEST(a_context_names_the_endpoint_that_lost_most)
{
    pair p;
    tc_error error = {TC_OK, ""};
    uint64_t lost = 0;
    char words[64];
    leave_puts_under_way();
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    tc_ep *eps[OTHERS];
    for (unsigned i = 0; i < OTHERS; i++)
        eps[i] = pair_connect(&p);
    pair_send_check(p.ep, fn, 0, 8);
    pair_flush(p.ep);
    pair_pause(&p);
    for (unsigned i = 0; i < OTHERS; i++) {
        for (unsigned n = 0; n <= i; n++)
            pair_send_check(eps[i], fn, 0, 8);
    }
    (void)snprintf(words, sizeof words,
                   "most of them on endpoint %u: ", eps[OTHERS - 1]->connection);
    assert_int_equal(tc_context_finish(p.source, SHORT_NS, &lost, &error), TC_E_TIMEOUT);
    p.source = NULL;
    p.ep = NULL;
    assert_int_equal(lost, 1 + 2 + 3 + 4);
    assert_non_null(strstr(error.text, "10 messages on 4 endpoints may not have run"));
    assert_non_null(strstr(error.text, words));
    pair_close(&p);
}

/* --- a peer that has gone ---------------------------------------------------------------- */

TEST(a_peer_that_closed_has_lost_the_rest)
{
    pair p;
    tc_ifunc *fn = open_paused(&p, NULL);
    for (uint64_t n = 1; n <= 5; n++)
        pair_send_check(p.ep, fn, n, 100);
    server_stop(&p.server);
    tc_context_destroy(p.target);
    while (tc_ep_error(p.ep, NULL) == TC_OK)
        assert_int_equal(tc_wait(p.source, PAIR_TIMEOUT_NS), TC_OK);
    expect_loss(&p, PAIR_TIMEOUT_NS, tc_ep_error(p.ep, NULL), 5);
    assert_int_equal(test_counter(p.source, "messages_lost"), 5);
    tc_context_destroy(p.source);
}

/* The calls that wait together for their store never reached the ring. */
TEST(an_endpoint_that_failed_gives_its_reason)
{
    pair p;
    tc_error error = {TC_OK, ""};
    tc_ifunc *fn = open_paused(&p, NULL);
    for (unsigned n = 0; n < 5; n++)
        assert_int_equal(tc_send(p.ep, fn, "12345678", 8), TC_OK);
    (void)tci_ep_fail_with(p.ep, TC_E_PEER_LOST, "peer lost: for a test");
    assert_int_equal(tc_ep_finish(p.ep, PAIR_TIMEOUT_NS, NULL, &error), TC_E_PEER_LOST);
    assert_string_equal(error.text, "5 messages may not have run: peer lost: for a test");
    p.ep = NULL;
    pair_close(&p);
}

/* The ring of a direct peer is the peer's memory. */
TEST(a_peer_that_spoils_its_ring_spoils_the_number_alone)
{
    pair p;
    uint64_t lost = 0;
    tc_ifunc *fn = open_paused(&p, NULL);
    for (uint64_t n = 1; n <= 5; n++)
        pair_send_check(p.ep, fn, n, 100);
    tci_producer *ring = &p.ep->tx.ring;
    tci_sender_commit_coalesced(&p.ep->tx);
    memset(ring->ring + (ring->consumed_seen & ring->mask) + 8, 0xff, 8);
    (void)tci_ep_fail_with(p.ep, TC_E_PEER_LOST, "peer lost: for a test");
    assert_int_equal(tc_ep_finish(p.ep, SHORT_NS, &lost, NULL), TC_E_PEER_LOST);
    assert_int_equal(lost, 1);
    p.ep = NULL;
    server_stop(&p.server);
    tc_context_destroy(p.source);
    tc_context_destroy(p.target);
}

/* --- where finishing is not allowed, and functions that send meanwhile ------------------- */

PAIR_TEST(inside_a_function_nothing_is_finished)
{
    uint64_t lost = 999;
    tc_error error = {TC_OK, ""};
    tc_ifunc *fn = pair_ifunc(p, "check");
    (void)tci_pending_enter(&p->source->core.pending, TCI_RUNNING);
    assert_int_equal(tc_ep_finish(p->ep, SHORT_NS, &lost, &error), TC_E_BUSY);
    assert_int_equal(error.status, TC_E_BUSY);
    error.status = TC_OK;
    assert_int_equal(tc_context_finish(p->source, SHORT_NS, &lost, &error), TC_E_BUSY);
    assert_int_equal(error.status, TC_E_BUSY);
    tci_pending_leave(&p->source->core.pending, TCI_RUNNING, 0);
    assert_int_equal(lost, 999);
    pair_send_check(p->ep, fn, 0, 8);
    expect_loss(p, PAIR_TIMEOUT_NS, TC_OK, 0);
    assert_int_equal(p->target_state.next, 1);
}

static tc_ifunc *answering; /* of the target */
static uint64_t answered;

static void send_back(void *endpoint)
{
    uint8_t payload[16];
    check_fill(payload, answered, sizeof payload);
    assert_int_equal(tc_send(endpoint, answering, payload, sizeof payload), TC_OK);
    answered++;
}

static void *finish_target(void *user)
{
    pair *p = user;
    uint64_t lost = 999;
    assert_int_equal(tc_context_finish(p->target, PAIR_TIMEOUT_NS, &lost, NULL), TC_OK);
    assert_int_equal(lost, 0);
    return NULL;
}

/* The target has a message under way when it finishes, so it runs the source's meanwhile, whose
 * function sends one more each. */
TEST(messages_that_functions_send_meanwhile_run_too)
{
    pair p;
    pthread_t thread;
    tc_error error = {0};
    tc_ifunc *fn = open_paused(&p, NULL);
    must(tc_ifunc_open(p.target, "check", &answering, &error), &error, "check");
    p.target_state.note = send_back;
    answered = 0;
    send_back(p.target->core.first);
    for (uint64_t n = 1; n <= 20; n++)
        pair_send_check(p.ep, fn, n, 100);
    for (unsigned i = 0; i < 100; i++) /* they leave */
        (void)tc_progress(p.source);
    server_stop(&p.server);
    assert_int_equal(pthread_create(&thread, NULL, finish_target, &p), 0);
    while (tc_ep_error(p.ep, NULL) == TC_OK)
        assert_int_equal(tc_wait(p.source, PAIR_TIMEOUT_NS), TC_OK);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(p.source_state.next, answered);
    assert_int_equal(p.source_state.wrong, 0);
    assert_in_range(answered, 1, 21);
    tc_context_destroy(p.source);
}
