/* The other ways to call a function: its code in every message, and code that the target has of
 * its own. */
#include "../support/pair.h"
#include "../support/test.h"

#include "base/clock.h"

#include <sched.h>
#include <tc/advanced.h>

static tc_status inject(tc_ep *ep, tc_ifunc *fn, const void *args, size_t size)
{
    tc_status status;
    while ((status = tc_send_injected(ep, fn, args, size)) == TC_E_AGAIN) {
        if (tc_progress(tc_ep_context(ep)) == 0)
            sched_yield();
    }
    return status;
}

static void inject_check(pair *p, tc_ifunc *fn, uint64_t n, size_t size)
{
    uint8_t *payload = malloc(size + 1);
    check_fill(payload, n, size);
    assert_ok(inject(p->ep, fn, payload, size));
    free(payload);
}

PAIR_TEST(injected_messages_keep_their_place_in_the_order)
{
    uint64_t n = 0;
    tc_ifunc *fn = pair_ifunc(p, "check");
    while (n < 3000) {
        inject_check(p, fn, n, n % 1500);
        n++;
        if (n % 3 == 0) {
            pair_send_check(p->ep, fn, n, n % 700);
            n++;
        }
    }
    pair_flush(p->ep);
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(p->target_state.next, n);
}

/* Those of 32 KiB and more may lie in a segment beside the ring, once the peer has it. */
PAIR_TEST(large_payloads_are_injected_in_their_place_too)
{
    uint64_t n = 0;
    tc_ifunc *fn = pair_ifunc(p, "check");
    for (size_t size = 30000; size < 100000; size += 1777) {
        inject_check(p, fn, n++, size);
        inject_check(p, fn, n++, size % 100);
        pair_send_check(p->ep, fn, n++, size);
    }
    pair_flush(p->ep);
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(p->target_state.next, n);
}

/* Beyond a frame too, once the peer has attached that segment; without a segment the error says
 * so.
 */
TEST(payloads_beyond_a_frame_are_injected_where_they_can_lie)
{
    const bool can_lie = strcmp(getenv("EXPECTED_DELIVERY"), "direct") == 0;
    const size_t large = 1u << 20, beyond = 3u << 20;
    pair p;
    uint8_t *payload = calloc(1, beyond);
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    pair_send_check(p.ep, fn, 0, large);
    pair_flush(p.ep);
    check_fill(payload, 1, large);
    tc_status status = TC_E_TOO_LARGE;
    for (uint64_t end_ns = tci_clock_ns() + TC_SECONDS(can_lie ? 30 : 0);
         status != TC_OK && tci_clock_ns() < end_ns; (void)tc_progress(tc_ep_context(p.ep)))
        status = tc_send_injected(p.ep, fn, payload, large);
    assert_int_equal(status, can_lie ? TC_OK : TC_E_TOO_LARGE);
    for (uint64_t n = 2; can_lie && n < 20; n++)
        inject_check(&p, fn, n, large + n);
    assert_status(inject(p.ep, fn, payload, beyond), TC_E_TOO_LARGE);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.next, can_lie ? 20 : 1);
    pair_close(&p);
    free(payload);
}

PAIR_TEST(injected_code_leaves_nothing_behind)
{
    tc_ifunc *fn = pair_ifunc(p, "memory");
    for (unsigned i = 1; i <= 40; i++) {
        assert_ok(inject(p->ep, fn, NULL, 0));
        pair_flush(p->ep);
        assert_int_equal(p->target_state.bytes, 1002);
    }
    assert_int_equal(pair_counter(p, "code_received"), 0);
    for (unsigned i = 1; i <= 40; i++) {
        assert_ok(tc_send(p->ep, fn, NULL, 0));
        pair_flush(p->ep);
        assert_int_equal(p->target_state.bytes, 1000 + 2 * i);
    }
    assert_int_equal(pair_counter(p, "code_received"), 1);
}

/* Images of different shape take turns, each with imports of its own. */
PAIR_TEST(different_functions_may_be_injected_in_turn)
{
    static const char text[] = "twice";
    tc_ifunc *check = pair_ifunc(p, "check"), *memory = pair_ifunc(p, "memory"),
             *doubled = pair_ifunc(p, "doubled");
    for (uint64_t n = 0; n < 60; n += 3) {
        inject_check(p, check, n, 100);
        assert_ok(inject(p->ep, memory, NULL, 0));
        assert_ok(inject(p->ep, doubled, text, sizeof text));
    }
    pair_flush(p->ep);
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(p->target_state.next, 60);
}

TEST(what_cannot_be_injected_is_said_at_once)
{
    pair p;
    const size_t large = 300000;
    void *payload = calloc(1, large);
    pair_open(&p, NULL);
    assert_status(tc_send_injected(p.ep, pair_ifunc(&p, "check"), payload, large),
                  TC_E_TOO_LARGE);
    assert_status(tc_send_injected(p.ep, pair_ifunc_file(&p, "only_bitcode"), NULL, 0),
                  TC_E_NO_SLICE);
    assert_status(tc_send_injected(p.ep, pair_ifunc_file(&p, "foreign"), NULL, 0),
                  TC_E_NO_SLICE);
    pair_close(&p);
    free(payload);
}

PAIR_TEST(injected_code_that_lacks_symbols_is_refused)
{
    tc_error error = {0};
    tc_ifunc *fn = pair_ifunc(p, "unbound");
    assert_ok(inject(p->ep, fn, NULL, 0));
    pair_flush(p->ep);
    assert_int_equal(tc_ep_refusal(p->ep, &error), 1);
    assert_status(error.status, TC_E_UNRESOLVED);
    assert_non_null(strstr(error.text, "tests_symbol_that_is_nowhere"));
    assert_non_null(strstr(error.text, "tests_other_symbol_that_is_nowhere"));
    assert_status(inject(p->ep, fn, NULL, 0), TC_E_REFUSED);
    inject_check(p, pair_ifunc(p, "check"), 0, 50); /* others go on */
    pair_flush(p->ep);
    assert_int_equal(p->target_state.next, 1);
}

TEST(who_takes_bitcode_only_takes_nothing_injected)
{
    pair p;
    tc_error error = {0};
    pair_open(&p, (const char *const[]){"form", "bitcode", NULL});
    assert_ok(inject(p.ep, pair_ifunc(&p, "check"), NULL, 0));
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, &error), 1);
    assert_status(error.status, TC_E_UNSUPPORTED);
    assert_int_equal(p.target_state.next, 0);
    pair_close(&p);
}

static void local_check(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    const uint8_t *bytes = payload;
    for (size_t i = 0; i < size; i++)
        state->wrong += bytes[i] != check_byte(state->next, size, i);
    state->next++;
    state->replies++; /* it was this function and not the archive's */
}

static void other_check(void *payload, size_t size, void *target_args)
{
    local_check(payload, size, target_args);
}

TEST(only_the_id_of_a_local_function_travels)
{
    pair p;
    tc_ifunc *there;
    tc_ep_info info;
    pair_open(&p, (const char *const[]){"code_push", "no", NULL});
    pair_pause(&p);
    assert_ok(tc_ifunc_open(p.target, "check", &there, NULL));
    assert_status(tc_ifunc_use_local(there, NULL, NULL), TC_E_INVALID);
    assert_ok(tc_ifunc_use_local(there, local_check, NULL));
    assert_ok(tc_ifunc_use_local(there, local_check, NULL));
    assert_status(tc_ifunc_use_local(there, other_check, NULL), TC_E_INVALID);
    pair_resume(&p);
    tc_ifunc *fn = pair_ifunc(&p, "check");
    pair_send_check(p.ep, fn, 0, 10);
    tc_ep_query(p.ep, &info);
    assert_true(info.sent_bytes <= 128);
    for (uint64_t n = 1; n < 1000; n++)
        pair_send_check(p.ep, fn, n, n);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.replies, 1000);
    assert_int_equal(pair_counter(&p, "code_received"), 0);
    pair_close(&p);
}

TEST(code_that_is_not_pushed_comes_when_it_is_needed)
{
    pair p;
    pair_open(&p, (const char *const[]){"code_push", "no", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "check");
    for (uint64_t n = 0; n < 100; n++)
        pair_send_check(p.ep, fn, n, n);
    pair_flush(p.ep);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.next, 100);
    assert_int_equal(pair_counter(&p, "code_received"), 1);
    pair_close(&p);
}
