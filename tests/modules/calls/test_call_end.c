/* The end of calls without an answer: by their deadline, or with the peer. */
#include "caller.h"
#include "base/clock.h"
#include "core/ep_state.h"

#define FOREVER_NS (UINT64_MAX / 4)

/* --- deadlines ---------------------------------------------------------------------------- */

CALLER_TEST(each_call_ends_at_its_own_deadline)
{
    heard soon = {0}, later = {0};
    assert_true(c->core->calls->next_deadline_ns == UINT64_MAX);
    const uint64_t now_ns = tci_clock_ns();
    (void)caller_start(c->pair.ep, c->fn, &later, 2000 * TCI_NS_PER_S);
    (void)caller_start(c->pair.ep, c->fn, &soon, 1000 * TCI_NS_PER_S);
    const uint64_t next_ns = c->core->calls->next_deadline_ns;
    assert_true(next_ns >= now_ns + 1000 * TCI_NS_PER_S);
    tci_calls_expire(c->core, next_ns - 1);
    assert_int_equal(soon.count, 0);
    tci_calls_expire(c->core, next_ns);
    assert_int_equal(soon.count, 1);
    assert_status(soon.status, TC_E_TIMEOUT);
    assert_string_equal(soon.text, "no answer came in time");
    assert_int_equal(later.count, 0);
    assert_true(c->core->calls->next_deadline_ns >= next_ns + 999 * TCI_NS_PER_S);
    tci_calls_expire(c->core, c->core->calls->next_deadline_ns);
    assert_int_equal(later.count, 1);
    assert_true(c->core->calls->next_deadline_ns == UINT64_MAX);
}

typedef struct chain {
    heard first, next;
    caller *c;
    bool was_busy;
} chain;

static void start_another(void *user, const tc_call_outcome *outcome)
{
    chain *ch = user;
    heard_done(&ch->first, outcome);
    ch->was_busy = tci_core_is_busy(ch->c->core);
    (void)caller_start(ch->c->pair.ep, ch->c->fn, &ch->next, FOREVER_NS);
}

CALLER_TEST(a_callback_may_start_another_call)
{
    static chain chains[16];
    memset(chains, 0, sizeof chains);
    for (size_t i = 0; i < 16; i++) { /* the table is full: it grows meanwhile */
        chains[i].c = c;
        const tc_call_params params = {
            .timeout_ns = TCI_NS_PER_S, .done = start_another, .user = &chains[i]};
        assert_ok(tc_call_start(c->pair.ep, c->fn, "?", 1, &params, NULL, NULL));
    }
    tci_calls_expire(c->core, tci_clock_ns() + 100 * TCI_NS_PER_S);
    for (size_t i = 0; i < 16; i++) {
        heard_expect(&chains[i].first, TC_E_TIMEOUT, "");
        assert_true(chains[i].was_busy);
        assert_int_equal(chains[i].next.count, 0);
    }
    assert_false(tci_core_is_busy(c->core));
    assert_int_equal(tci_calls_of(c->core)->count, 16);
    assert_true(c->core->calls->next_deadline_ns < UINT64_MAX);
}

/* --- peers that go, or refuse ------------------------------------------------------------- */

CALLER_TEST(calls_by_an_endpoint_that_ended_fail_with_its_error)
{
    static const tc_error error = {TC_E_PEER_LOST, "peer lost: hung up"};
    heard h = {0}, other = {0};
    tc_ep *second = fake_node_ep(c->pair.near);
    second->tx.queues_unopened = true;
    (void)caller_start(c->pair.ep, c->fn, &h, 0);
    (void)caller_start(second, c->fn, &other, 0);
    tci_calls_lose(c->core, c->pair.ep, &error);
    assert_status(h.status, TC_E_PEER_LOST);
    assert_string_equal(h.text, "peer lost: hung up");
    assert_int_equal(other.count, 0);
}

/* Another member may have it by now. */
TEST(calls_that_may_have_travelled_on_have_a_second_more)
{
    static const tc_error error = {TC_E_PEER_LOST, "peer lost: hung up"};
    heard answered = {0}, lost = {0};
    caller c;
    fake_pair_join(&c.pair, FAKE_MAPPED, 3);
    c.core = &c.pair.near->core;
    c.fn = fake_node_function(c.pair.near, "nothing", caller_nothing);
    const tc_call_id id = caller_start(c.pair.ep, c.fn, &answered, FOREVER_NS);
    (void)caller_start(c.pair.ep, c.fn, &lost, FOREVER_NS);
    tci_calls_lose(c.core, c.pair.ep, &error);
    const uint64_t now_ns = tci_clock_ns();
    assert_int_equal(answered.count + lost.count, 0);
    caller_answer(&c, id, "yes");
    assert_ok(answered.status);
    assert_true(c.core->calls->next_deadline_ns <= now_ns + TCI_NS_PER_S);
    tci_calls_expire(c.core, now_ns + 2 * TCI_NS_PER_S);
    assert_status(lost.status, TC_E_PEER_LOST);
    assert_non_null(strstr(lost.text, "the member that was called first is gone"));
    fake_pair_close(&c.pair);
}

/* A call with a payload that left in fragments: its route is at the end, which the peer may
 * never see.
 */
static void start_large(caller *c, heard *h, const uint8_t *payload, size_t size)
{
    const tc_call_params params = {.done = heard_done, .user = h};
    assert_true(size > c->pair.ep->tx.payload_max);
    assert_ok(tc_call_start(c->pair.ep, c->fn, payload, size, &params, NULL, NULL));
}

CALLER_TEST(a_refusal_ends_large_calls_of_that_function_alone)
{
    static const tc_error error = {TC_E_REFUSED, "not here"};
    static uint8_t payload[29000];
    heard small = {0}, large = {0};
    (void)caller_start(c->pair.ep, c->fn, &small, 0);
    start_large(c, &large, payload, sizeof payload);
    tci_calls_refused(c->core, c->pair.ep, (uint16_t)(c->fn->index + 1), &error);
    tci_calls_refused(c->core, c->pair.peer, c->fn->index, &error);
    assert_int_equal(large.count, 0);
    tci_calls_refused(c->core, c->pair.ep, c->fn->index, &error);
    assert_int_equal(large.count, 1);
    assert_status(large.status, TC_E_REFUSED);
    assert_string_equal(large.text, "not here");
    assert_int_equal(small.count, 0);
}

CALLER_TEST(a_payload_too_large_for_the_peer_was_the_largest)
{
    static const tc_error error = {TC_E_TOO_LARGE, "too much"};
    static uint8_t payload[29000];
    heard smaller = {0}, larger = {0};
    start_large(c, &smaller, payload, 27000);
    start_large(c, &larger, payload, 29000);
    tci_calls_too_large(c->core, c->pair.ep, c->fn->index, &error);
    assert_status(larger.status, TC_E_TOO_LARGE);
    assert_int_equal(smaller.count, 0);
    tci_calls_too_large(c->core, c->pair.ep, c->fn->index, &error);
    tci_calls_too_large(c->core, c->pair.ep, c->fn->index, &error); /* there is no call left */
    assert_int_equal(smaller.count, 1);
    assert_int_equal(larger.count, 1);
}

/* Those that may have travelled wait a second longer than their endpoint, and no second longer
 * than the context. */
TEST(calls_of_a_context_that_ends_are_told_so)
{
    static const tc_error error = {TC_E_PEER_LOST, "peer lost: hung up"};
    heard a = {0}, b = {0};
    caller c;
    fake_pair_join(&c.pair, FAKE_MAPPED, 3);
    c.core = &c.pair.near->core;
    c.fn = fake_node_function(c.pair.near, "nothing", caller_nothing);
    (void)caller_start(c.pair.ep, c.fn, &a, FOREVER_NS);
    tci_calls_lose(c.core, c.pair.ep, &error);
    (void)caller_start(c.pair.ep, c.fn, &b, FOREVER_NS);
    tci_calls_end(c.core);
    heard_expect(&a, TC_E_CLOSED, "the context was destroyed");
    heard_expect(&b, TC_E_CLOSED, "the context was destroyed");
    assert_int_equal(tci_calls_of(c.core)->count, 0);
    tci_calls_end(c.core);
    assert_int_equal(a.count + b.count, 2);
    fake_pair_close(&c.pair);
}

CALLER_TEST(calls_of_a_context_that_ends_are_forgotten)
{
    heard h = {0};
    const tc_call_id id = caller_start(c->pair.ep, c->fn, &h, 0);
    const tci_reply first = {.call = id, .total = 9, .path_length = 1};
    const tci_answerer by = caller_asked(c);
    tci_calls_answer(c->core, &by, &first, (const uint8_t *)"\0\0\0\1", (const uint8_t *)"abc",
                     3);
    tci_calls_fini(tci_calls_of(c->core));
    assert_int_equal(h.count, 0);
    assert_int_equal(tci_calls_of(c->core)->count, 0);
}
