/* Operations on the memory of another context. */
#include "window_pair.h"

#define BEFORE(value)                                                                          \
    do {                                                                                       \
        assert_true(before == (value));                                                        \
        before = ~0ull;                                                                        \
    } while (0)

static uint64_t word(window_pair *w, size_t at)
{
    uint64_t value;
    pair_pause(&w->p);
    memcpy(&value, w->memory + at, sizeof value);
    pair_resume(&w->p);
    return value;
}

static void set_word(window_pair *w, size_t at, uint64_t value)
{
    pair_pause(&w->p);
    memcpy(w->memory + at, &value, sizeof value);
    pair_resume(&w->p);
}

/* Sizes that go in a frame, beside it, and in many. */
WINDOW_TEST(bytes_are_put_and_got)
{
    static const size_t sizes[] = {1, 7, 8, 48, 1000, 70000, TC_WINDOW_BYTES_MAX};
    tc_error error = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const tc_gptr at = tc_gptr_add(w->at, 3 + 64 * i);
        uint8_t *sent = malloc(sizes[i]), *got = malloc(sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++)
            sent[k] = (uint8_t)(k * 7 + i);
        must(tc_window_put(w->p.ep, at, sent, sizes[i], PAIR_TIMEOUT_NS, &error), &error,
             "put");
        pair_pause(&w->p);
        assert_memory_equal(w->memory + at.offset, sent, sizes[i]);
        pair_resume(&w->p);
        must(tc_window_get(w->p.ep, at, got, sizes[i], PAIR_TIMEOUT_NS, &error), &error, "get");
        assert_memory_equal(got, sent, sizes[i]);
        free(sent);
        free(got);
    }
    assert_int_equal(tc_call_count(w->p.source), 0);
}

WINDOW_TEST(the_last_byte_is_inside)
{
    uint8_t byte = 9;
    const tc_gptr last = tc_gptr_add(w->at, WINDOW_MEMORY - 1);
    assert_ok(tc_window_put(w->p.ep, last, &byte, 1, PAIR_TIMEOUT_NS, NULL));
    byte = 0;
    assert_ok(tc_window_get(w->p.ep, last, &byte, 1, PAIR_TIMEOUT_NS, NULL));
    assert_int_equal(byte, 9);
}

WINDOW_TEST(atomic_operations)
{
    const tc_gptr at = tc_gptr_add(w->at, 8);
    tc_ep *ep = w->p.ep;
    uint64_t before = ~0ull;
    assert_ok(tc_window_fetch_add(ep, at, 5, &before, PAIR_TIMEOUT_NS, NULL));
    BEFORE(0);
    assert_ok(tc_window_fetch_add(ep, at, UINT64_MAX, &before, PAIR_TIMEOUT_NS, NULL));
    BEFORE(5);
    assert_ok(tc_window_compare_swap(ep, at, 5, 9, &before, PAIR_TIMEOUT_NS, NULL));
    BEFORE(4); /* it has not swapped */
    assert_true(word(w, 8) == 4);
    assert_ok(tc_window_compare_swap(ep, at, 4, 9, &before, PAIR_TIMEOUT_NS, NULL));
    BEFORE(4);
    assert_true(word(w, 8) == 9);
    assert_ok(tc_window_fetch_add(ep, at, 1, NULL, PAIR_TIMEOUT_NS, NULL));
    assert_true(word(w, 8) == 10);
}

WINDOW_TEST(masks_choose_bits)
{
    uint64_t before = 0;
    uint32_t succeeded;
    set_word(w, 0, 0x1111222233334444);
    tc_window_step step = tc_window_step_masked_compare_swap(
        w->at, 0x4444, 0xffff, 0xaaaabbbbccccdddd, 0xffff0000ffff0000, &before);
    assert_ok(tc_window_chain(w->p.ep, &step, 1, PAIR_TIMEOUT_NS, &succeeded, NULL));
    assert_int_equal(succeeded, 1);
    assert_true(before == 0x1111222233334444);
    assert_true(word(w, 0) == 0xaaaa2222cccc4444);
    step.expected = 0x4445;
    assert_ok(tc_window_chain(w->p.ep, &step, 1, PAIR_TIMEOUT_NS, &succeeded, NULL));
    assert_int_equal(succeeded, 0);
    assert_true(before == 0xaaaa2222cccc4444);
    /* nothing is compared */
    assert_ok(tc_window_masked_compare_swap(w->p.ep, w->at, 0x4445, 0, 0xaaaabbbbccccdddd,
                                            UINT64_MAX, &before, PAIR_TIMEOUT_NS, NULL));
    assert_true(before == 0xaaaa2222cccc4444);
    assert_true(word(w, 0) == 0xaaaabbbbccccdddd);
}

WINDOW_TEST(a_result_is_the_offset_of_a_later_step)
{
    char text[8] = "";
    set_word(w, 40, 4000);
    pair_pause(&w->p);
    memcpy(w->memory + 4016, "entries", 8);
    pair_resume(&w->p);
    assert_ok(tc_window_get_indirect(w->p.ep, tc_gptr_add(w->at, 40), 16, text, sizeof text,
                                     PAIR_TIMEOUT_NS, NULL));
    assert_string_equal(text, "entries");
}

WINDOW_TEST(allocations_begin_at_multiples_of_16)
{
    uint64_t first, second;
    tc_error error = {0};
    tc_ep *ep = w->p.ep;
    assert_ok(tc_window_allocate(ep, tc_gptr_add(w->at, 5), 3, &first, PAIR_TIMEOUT_NS, NULL));
    assert_true(first == WINDOW_ARENA);
    assert_ok(tc_window_allocate(ep, w->at, 100, &second, PAIR_TIMEOUT_NS, NULL));
    assert_true(second == WINDOW_ARENA + 16);
    assert_status(tc_window_allocate(ep, w->at, WINDOW_MEMORY, &first, PAIR_TIMEOUT_NS, &error),
                  TC_E_NO_MEMORY);
    assert_non_null(strstr(error.text, "step 1: 1048576 bytes to allocate in window 0"));
    assert_status(tc_window_allocate(ep, w->at, UINT64_MAX, &first, PAIR_TIMEOUT_NS, NULL),
                  TC_E_NO_MEMORY);
    assert_ok(tc_window_allocate(ep, w->at, WINDOW_MEMORY - WINDOW_ARENA - 128, &first,
                                 PAIR_TIMEOUT_NS, NULL)); /* all that is left */
    assert_true(first == WINDOW_ARENA + 128);
    assert_status(tc_window_allocate(ep, w->at, 1, &first, PAIR_TIMEOUT_NS, NULL),
                  TC_E_NO_MEMORY);
}

/* A list grows by an entry in one round trip: allocated, written, and linked if the list's head
 * is still the expected one. */
WINDOW_TEST(a_chain_allocates_writes_and_links)
{
    uint64_t entry, head, here;
    uint32_t succeeded;
    char text[8] = "";
    tc_window_step steps[4] = {tc_window_step_allocate(w->at, 16, &entry),
                               tc_window_step_put(tc_gptr_add(w->at, 8), "chained", 8),
                               tc_window_step_compare_swap(w->at, 0, WINDOW_ARENA, &head),
                               tc_window_step_get(w->at, &here, 8)};
    steps[1].base = 1;
    steps[3].condition = TC_WINDOW_IF_SUCCEEDED;
    assert_ok(tc_window_chain(w->p.ep, steps, 4, PAIR_TIMEOUT_NS, &succeeded, NULL));
    assert_int_equal(succeeded, 15);
    assert_true(entry == WINDOW_ARENA && head == 0 && here == WINDOW_ARENA);
    assert_ok(
        tc_window_get_indirect(w->p.ep, w->at, 8, text, sizeof text, PAIR_TIMEOUT_NS, NULL));
    assert_string_equal(text, "chained");
}

/* By a step that compares and does not swap, and by one that is left out. */
WINDOW_TEST(conditions_look_at_the_step_before)
{
    uint64_t before = 77, got = 77;
    uint32_t succeeded;
    tc_window_step steps[4] = {tc_window_step_compare_swap(w->at, 1, 2, &before),
                               tc_window_step_get(w->at, &got, 8),
                               tc_window_step_put(tc_gptr_add(w->at, 8), "12345678", 8),
                               tc_window_step_fetch_add(w->at, 5, NULL)};
    steps[1].condition = TC_WINDOW_IF_SUCCEEDED;
    steps[2].condition = TC_WINDOW_IF_FAILED;
    steps[3].condition = TC_WINDOW_IF_SUCCEEDED;
    assert_ok(tc_window_chain(w->p.ep, steps, 4, PAIR_TIMEOUT_NS, &succeeded, NULL));
    assert_int_equal(succeeded, 4 + 8);
    assert_true(before == 0 && got == 77 && word(w, 0) == 5);
    steps[0].expected = 5;
    assert_ok(tc_window_chain(w->p.ep, steps, 4, PAIR_TIMEOUT_NS, &succeeded, NULL));
    assert_int_equal(succeeded, 1 + 2);
    assert_true(before == 5 && got == 2 && word(w, 0) == 2);
}

WINDOW_TEST(a_chain_has_sixteen_steps)
{
    tc_window_step steps[TC_WINDOW_STEPS_MAX];
    uint64_t before[TC_WINDOW_STEPS_MAX];
    uint32_t succeeded;
    for (unsigned i = 0; i < TC_WINDOW_STEPS_MAX; i++)
        steps[i] = tc_window_step_fetch_add(w->at, 1, &before[i]);
    assert_ok(tc_window_chain(w->p.ep, steps, TC_WINDOW_STEPS_MAX, PAIR_TIMEOUT_NS, &succeeded,
                              NULL));
    assert_int_equal(succeeded, 0xffff);
    for (unsigned i = 0; i < TC_WINDOW_STEPS_MAX; i++)
        assert_true(before[i] == i);
}

/* --- started operations ------------------------------------------------------------------- */

static void start(tc_status status)
{
    assert_ok(status);
}

WINDOW_TEST(started_operations_take_effect_in_order)
{
    window_record records[5] = {{0}};
    tc_window_start_params params[5];
    uint64_t got = 0, before = 0, offset = 0, swapped = 0;
    tc_ep *ep = w->p.ep;
    for (unsigned i = 0; i < 5; i++)
        params[i] = (tc_window_start_params){PAIR_TIMEOUT_NS, window_record_note, &records[i]};
    uint64_t sent = 40;
    start(tc_window_put_start(ep, w->at, &sent, sizeof sent, &params[0], NULL));
    sent = 0; /* it was copied */
    start(tc_window_fetch_add_start(ep, w->at, 2, &before, &params[1], NULL));
    start(tc_window_get_start(ep, w->at, &got, sizeof got, &params[2], NULL));
    start(tc_window_compare_swap_start(ep, w->at, 42, 8, &swapped, &params[3], NULL));
    start(tc_window_get_indirect_start(ep, w->at, 0, &offset, 8, &params[4], NULL));
    assert_int_equal(tc_call_count(w->p.source), 5);
    assert_ok(tc_calls_wait(w->p.source, PAIR_TIMEOUT_NS));
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(records[i].calls, 1);
        assert_status(records[i].status, TC_OK);
        assert_int_equal(records[i].succeeded, i == 4 ? 3 : 1);
        assert_string_equal(records[i].text, "");
    }
    assert_true(before == 40 && got == 42 && swapped == 42 && offset == 0);
}

/* Also for those with answers in parts, and for those that are refused. */
WINDOW_TEST(a_blocking_operation_waits_for_those_before_it)
{
    enum { COUNT = 60, BYTES = 20000 };
    static uint8_t results[COUNT][BYTES];
    window_record records[COUNT] = {{0}};
    uint8_t last;
    for (unsigned i = 0; i < COUNT; i++) {
        const tc_window_start_params params = {PAIR_TIMEOUT_NS, window_record_note,
                                               &records[i]};
        const tc_gptr at = tc_gptr_add(w->at, i % 7 == 6 ? WINDOW_MEMORY : i);
        const uint64_t size = i % 3 == 0 ? BYTES : 1;
        tc_status status;
        while ((status = tc_window_get_start(w->p.ep, at, results[i], size, &params, NULL)) ==
               TC_E_AGAIN)
            (void)tc_progress(w->p.source);
        assert_ok(status);
    }
    assert_ok(tc_window_get(w->p.ep, w->at, &last, 1, PAIR_TIMEOUT_NS, NULL));
    assert_int_equal(tc_call_count(w->p.source), 0);
    for (unsigned i = 0; i < COUNT; i++) {
        assert_int_equal(records[i].calls, 1);
        assert_status(records[i].status, i % 7 == 6 ? TC_E_INVALID : TC_OK);
    }
}

WINDOW_TEST(a_started_operation_needs_no_callback)
{
    uint64_t offset = 0;
    assert_ok(tc_window_allocate_start(w->p.ep, w->at, 32, &offset, NULL, NULL));
    assert_ok(tc_calls_wait(w->p.source, PAIR_TIMEOUT_NS));
    assert_true(offset == WINDOW_ARENA);
}

WINDOW_TEST(a_started_operation_that_is_refused_has_a_text)
{
    window_record record = {0};
    uint64_t got = 77;
    const tc_window_start_params params = {0, window_record_note, &record};
    start(tc_window_get_start(w->p.ep, tc_gptr_add(w->at, WINDOW_MEMORY), &got, sizeof got,
                              &params, NULL));
    assert_ok(tc_calls_wait(w->p.source, PAIR_TIMEOUT_NS));
    assert_int_equal(record.calls, 1);
    assert_status(record.status, TC_E_INVALID);
    assert_non_null(strstr(record.text, "step 1: 8 bytes at offset 1048576"));
    assert_true(got == 77);
    /* a malformed chain is not started */
    assert_status(tc_window_get_start(w->p.ep, w->at, &got, 0, &params, NULL), TC_E_INVALID);
    assert_int_equal(record.calls, 1);
    assert_int_equal(tc_call_count(w->p.source), 0);
}

/* --- opening ------------------------------------------------------------------------------ */

TEST(each_mistake_of_an_owner_has_a_text)
{
    static uint64_t memory[8];
    pair p, other;
    tc_error error = {0};
    tc_gptr at;
    pair_open(&p, NULL);
    pair_open(&other, NULL);
    const tc_window_params good = {.memory = memory,
                                   .bytes = sizeof memory,
                                   .rights = TC_WINDOW_READ | TC_WINDOW_ATOMIC,
                                   .identity = "key:any"};
    struct {
        tc_window_params params;
        const char *text;
    } cases[] = {{good, "expected memory of 1 byte"},  {good, "expected memory of 1 byte"},
                 {good, "expected memory of 1 byte"},  {good, "rights 0, expected some of 0xf"},
                 {good, "rights 0x13, expected"},      {good, "expected a multiple of 8"},
                 {good, "an arena from 65 on"},        {good, "no peer, group or identity"},
                 {good, "no peer, group or identity"}, {good, "of another context"}};
    cases[0].params.memory = NULL;
    cases[1].params.bytes = 0;
    cases[2].params.bytes = UINT64_MAX;
    cases[3].params.rights = 0;
    cases[4].params.rights = 0x13;
    cases[5].params.memory = (uint8_t *)memory + 4;
    cases[6].params.arena_begin = 65;
    cases[7].params.identity = NULL;
    cases[8].params.identity = "";
    cases[9].params.peer = other.ep;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_status(tc_window_open(p.source, &cases[i].params, &at, &error), TC_E_INVALID);
        if (strstr(error.text, cases[i].text) == NULL)
            fail_msg("\"%s\" lacks \"%s\"", error.text, cases[i].text);
    }
    assert_ok(tc_window_open(p.source, &good, &at, &error));
    assert_int_equal(at.rank, TC_RANK_NONE);
    assert_ok(tc_window_close(p.source, at));
    assert_status(tc_window_close(p.source, at), TC_E_NOT_FOUND);
    pair_close(&other);
    pair_close(&p);
}
