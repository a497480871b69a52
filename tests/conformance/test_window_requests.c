/* Requests that an owner refuses: each leaves the memory, and the endpoint, as they were. */
#include "window_pair.h"

#include "context/context_object.h"
#include "modules/windows/window_function.h"
#include "modules/windows/window_request.h"

static void refused(window_pair *w, tc_window_step step, tc_status status, const char *text)
{
    window_pair_refused(w, &step, 1, status, text);
}

WINDOW_TEST(bytes_outside_the_window)
{
    static const struct {
        uint64_t offset, size;
    } cases[] = {{WINDOW_MEMORY, 1},    {WINDOW_MEMORY - 7, 8}, {0, WINDOW_MEMORY + 1ull},
                 {UINT64_MAX, 1},       {UINT64_MAX - 7, 8},    {UINT64_MAX - 7, 16},
                 {1ull << 63, 1u << 19}};
    static uint8_t bytes[TC_WINDOW_BYTES_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_gptr at = w->at;
        at.offset = cases[i].offset;
        const bool fits = cases[i].size <= TC_WINDOW_BYTES_MAX;
        const tc_status status = fits ? TC_E_INVALID : TC_E_TOO_LARGE;
        const char *text = fits ? "expected them within the 1048576 of window 0" : "at most";
        refused(w, tc_window_step_get(at, NULL, cases[i].size), status, text);
        refused(w, tc_window_step_put(at, bytes, cases[i].size), status, text);
    }
    refused(w, tc_window_step_fetch_add(tc_gptr_add(w->at, WINDOW_MEMORY), 1, NULL),
            TC_E_INVALID, "8 bytes at offset 1048576");
    refused(w, tc_window_step_compare_swap(tc_gptr_add(w->at, WINDOW_MEMORY - 4), 0, 1, NULL),
            TC_E_INVALID, "8 bytes at offset 1048572");
}

WINDOW_TEST(atomic_operations_are_aligned)
{
    for (uint64_t offset = 1; offset < 8; offset++)
        refused(w, tc_window_step_fetch_add(tc_gptr_add(w->at, offset), 1, NULL), TC_E_INVALID,
                "expected a multiple of 8");
}

/* By a result that the peer, or another one, has written there. */
WINDOW_TEST(offsets_that_are_results_are_checked)
{
    static const uint64_t bad[] = {WINDOW_MEMORY, WINDOW_MEMORY - 7, UINT64_MAX, 1ull << 63,
                                   UINT64_MAX - 15};
    tc_window_step steps[2];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_ok(tc_window_put(w->p.ep, w->at, &bad[i], 8, PAIR_TIMEOUT_NS, NULL));
        tc_window_steps_get_indirect(w->at, 0, NULL, 8, steps);
        window_pair_refused(w, steps, 2, TC_E_INVALID, "step 2: 8 bytes at offset");
        tc_window_steps_get_indirect(w->at, UINT64_MAX, NULL, 8, steps);
        window_pair_refused(w, steps, 2, TC_E_INVALID, "step 2: ");
    }
    const uint64_t odd = 12;
    assert_ok(tc_window_put(w->p.ep, w->at, &odd, 8, PAIR_TIMEOUT_NS, NULL));
    steps[1] = tc_window_step_fetch_add(w->at, 1, NULL);
    steps[1].base = 1;
    window_pair_refused(w, steps, 2, TC_E_INVALID,
                        "step 2: an atomic operation at offset 12, expected a multiple of 8");
}

WINDOW_TEST(a_step_that_was_not_done_has_no_result)
{
    tc_window_step steps[3] = {tc_window_step_compare_swap(w->at, 1, 2, NULL),
                               tc_window_step_get(w->at, NULL, 8),
                               tc_window_step_get(w->at, NULL, 8)};
    steps[1].condition = TC_WINDOW_IF_SUCCEEDED;
    steps[2].base = 2;
    window_pair_refused(w, steps, 3, TC_E_INVALID,
                        "step 3: takes its offset from step 2, which was not done");
}

WINDOW_TEST(malformed_chains_are_not_sent)
{
    tc_window_step steps[TC_WINDOW_STEPS_MAX + 1];
    for (unsigned i = 0; i < TC_WINDOW_STEPS_MAX + 1; i++)
        steps[i] = tc_window_step_put(w->at, "12345678", 8);
    window_pair_refused(w, steps, TC_WINDOW_STEPS_MAX + 1, TC_E_TOO_LARGE, "17 steps");
    window_pair_refused(w, steps, 0, TC_E_TOO_LARGE, "0 steps");
    steps[1].base = 2;
    window_pair_refused(w, steps, 2, TC_E_INVALID, "step 2: takes its offset from step 2");
    steps[1].base = 3;
    window_pair_refused(w, steps, 3, TC_E_INVALID, "step 2: takes its offset from step 3");
    steps[1].base = 1;
    window_pair_refused(w, steps, 2, TC_E_INVALID, "which has no result of 8 bytes");
    refused(w, tc_window_step_get(w->at, NULL, TC_WINDOW_BYTES_MAX + 1), TC_E_TOO_LARGE,
            "524289 bytes to get, expected 524288 at most");
    refused(w, tc_window_step_get(w->at, NULL, UINT64_MAX), TC_E_TOO_LARGE, "at most");
}

/* All checks that need no result come before the first step: nothing is written. */
WINDOW_TEST(a_chain_with_a_bad_step_changes_nothing)
{
    tc_window_step steps[3] = {tc_window_step_put(w->at, "12345678", 8),
                               tc_window_step_fetch_add(w->at, 1, NULL),
                               tc_window_step_get(tc_gptr_add(w->at, WINDOW_MEMORY), NULL, 1)};
    window_pair_refused(w, steps, 3, TC_E_INVALID, "step 3: 1 bytes at offset 1048576");
    steps[2].at = (tc_gptr){.window = 9, .generation = 1};
    steps[2].condition = TC_WINDOW_IF_FAILED; /* it would be left out */
    window_pair_refused(w, steps, 3, TC_E_NOT_FOUND,
                        "step 3: window 9 of generation 1 is not open");
}

/* --- windows and rights ------------------------------------------------------------------- */

WINDOW_TEST(forged_pointers_lead_nowhere)
{
    for (unsigned number = 0; number < 65536; number += 911) {
        for (unsigned generation = 0; generation < 65536; generation += 21845) {
            tc_gptr at = {.window = (uint16_t)number, .generation = (uint16_t)generation};
            if (number != w->at.window || generation != w->at.generation)
                refused(w, tc_window_step_get(at, NULL, 8), TC_E_NOT_FOUND, "is not open");
        }
    }
}

WINDOW_TEST(a_closed_window_is_gone_though_its_number_is_used_again)
{
    uint8_t byte = 1;
    const tc_gptr old = w->at;
    const tc_window_params params = {.memory = w->memory,
                                     .bytes = 64,
                                     .rights = TC_WINDOW_READ,
                                     .peer = window_pair_peer(w)};
    pair_pause(&w->p);
    assert_ok(tc_window_close(w->p.target, old));
    pair_resume(&w->p);
    refused(w, tc_window_step_get(old, NULL, 1), TC_E_NOT_FOUND,
            "step 1: window 0 of generation 1 is not open");
    const tc_gptr fresh = window_pair_window(w, &params);
    assert_int_equal(fresh.window, old.window);
    assert_int_equal(fresh.generation, old.generation + 1);
    refused(w, tc_window_step_get(old, NULL, 1), TC_E_NOT_FOUND, "generation 1 is not open");
    assert_ok(tc_window_get(w->p.ep, fresh, &byte, 1, PAIR_TIMEOUT_NS, NULL));
    assert_int_equal(byte, 0);
}

WINDOW_TEST(each_operation_needs_its_right)
{
    const struct {
        uint32_t right;
        tc_window_step step;
    } cases[] = {
        {TC_WINDOW_READ, tc_window_step_get(w->at, NULL, 8)},
        {TC_WINDOW_WRITE, tc_window_step_put(w->at, "12345678", 8)},
        {TC_WINDOW_ATOMIC, tc_window_step_fetch_add(w->at, 1, NULL)},
        {TC_WINDOW_ATOMIC, tc_window_step_compare_swap(w->at, 0, 0, NULL)},
        {TC_WINDOW_ATOMIC, tc_window_step_masked_compare_swap(w->at, 0, 1, 0, 1, NULL)},
        {TC_WINDOW_ALLOCATE, tc_window_step_allocate(w->at, 8, NULL)}};
    tc_window_params params = {
        .memory = w->memory, .bytes = WINDOW_MEMORY, .peer = window_pair_peer(w)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_window_step step = cases[i].step;
        char text[64];
        params.rights = cases[i].right;
        step.at = window_pair_window(w, &params);
        assert_ok(tc_window_chain(w->p.ep, &step, 1, PAIR_TIMEOUT_NS, NULL, NULL));
        params.rights = WINDOW_ALL & ~cases[i].right;
        step.at = window_pair_window(w, &params);
        (void)snprintf(text, sizeof text, "rights %#x, expected %#x", params.rights,
                       cases[i].right);
        window_pair_refused(w, &step, 1, TC_E_REFUSED, text);
    }
}

/* The right belongs to the endpoint: another one of the same process, with the same pointer,
 * is refused, as is one that takes its memory and number later. */
WINDOW_TEST(a_window_for_a_peer_is_for_no_other)
{
    uint8_t byte;
    tc_error error = {0};
    tc_ep *other = pair_connect(&w->p);
    assert_status(tc_window_get(other, w->at, &byte, 1, PAIR_TIMEOUT_NS, &error), TC_E_REFUSED);
    assert_non_null(strstr(error.text, "step 1: window 0 is not open to this peer"));
    assert_ok(tc_window_get(w->p.ep, w->at, &byte, 1, PAIR_TIMEOUT_NS, &error));
    tc_ep_close(w->p.ep);
    tc_ep_close(other);
    for (unsigned i = 0; i < 20; i++) {
        w->p.ep = pair_connect(&w->p);
        assert_status(tc_window_get(w->p.ep, w->at, &byte, 1, PAIR_TIMEOUT_NS, &error),
                      TC_E_REFUSED);
        if (i < 19)
            tc_ep_close(w->p.ep);
    }
}

WINDOW_TEST(a_window_for_an_identity_is_for_all_its_endpoints)
{
    char identity[256];
    uint8_t byte;
    tc_error error = {0};
    (void)snprintf(identity, sizeof identity, "%s", window_pair_peer(w)->peer.identity);
    if (identity[0] == '\0')
        skip(); /* the peer has proved nothing on this way */
    tc_window_params params = {
        .memory = w->memory, .bytes = 64, .rights = TC_WINDOW_READ, .identity = identity};
    const tc_gptr at = window_pair_window(w, &params);
    tc_ep *other = pair_connect(&w->p);
    assert_ok(tc_window_get(other, at, &byte, 1, PAIR_TIMEOUT_NS, &error));
    assert_ok(tc_window_get(w->p.ep, at, &byte, 1, PAIR_TIMEOUT_NS, &error));
    identity[strlen(identity) - 1] ^= 1;
    const tc_gptr others = window_pair_window(w, &params);
    assert_status(tc_window_get(other, others, &byte, 1, PAIR_TIMEOUT_NS, &error),
                  TC_E_REFUSED);
    identity[strlen(identity) - 1] = '\0'; /* the beginning of an identity is another one */
    const tc_gptr shorter = window_pair_window(w, &params);
    assert_status(tc_window_get(other, shorter, &byte, 1, PAIR_TIMEOUT_NS, &error),
                  TC_E_REFUSED);
    tc_ep_close(other);
}

/* --- bytes of a hostile peer -------------------------------------------------------------- */

static tc_status send_bytes(window_pair *w, const uint8_t *bytes, size_t size, tc_error *error)
{
    uint8_t answer[256];
    size_t answer_size = sizeof answer;
    tc_ifunc *fn;
    must(tci_window_function(&w->p.source->core, &fn, error), error, "function");
    return tc_call(w->p.ep, fn, bytes, size, answer, &answer_size, PAIR_TIMEOUT_NS, error);
}

WINDOW_TEST(bytes_that_are_no_request_are_refused)
{
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES];
    tci_window_request request;
    tc_error error = {0};
    uint8_t byte;
    const tc_window_step step = tc_window_step_put(w->at, "12345678", 8);
    assert_ok(tci_window_request_take(&step, sizeof step, 1, &request, NULL));
    tci_window_request_encode(&request, bytes);
    const size_t size = tci_window_request_bytes(&request);
    for (size_t cut = 0; cut < size; cut++)
        assert_status(send_bytes(w, bytes, cut, &error), TC_E_CORRUPT);
    assert_status(send_bytes(w, bytes, size + 1, &error), TC_E_CORRUPT);
    bytes[3] = 200;
    assert_status(send_bytes(w, bytes, size, &error), TC_E_TOO_LARGE);
    bytes[3] = 1;
    bytes[2] = 200;
    assert_status(send_bytes(w, bytes, size, &error), TC_E_INVALID);
    assert_ok(tc_window_get(w->p.ep, w->at, &byte, 1, PAIR_TIMEOUT_NS, NULL));
    assert_int_equal(byte, 0);
}

/* A message of the same bytes that asks for no answer. */
WINDOW_TEST(a_message_that_is_no_call_does_nothing)
{
    uint8_t bytes[TCI_WINDOW_STEPS_BYTES];
    tci_window_request request;
    tc_error error = {0};
    tc_ifunc *fn;
    uint8_t byte;
    const tc_window_step step = tc_window_step_put(w->at, "12345678", 8);
    assert_ok(tci_window_request_take(&step, sizeof step, 1, &request, NULL));
    tci_window_request_encode(&request, bytes);
    must(tci_window_function(&w->p.source->core, &fn, &error), &error, "function");
    assert_ok(pair_send(w->p.ep, fn, bytes, tci_window_request_bytes(&request)));
    assert_ok(tc_window_get(w->p.ep, w->at, &byte, 1, PAIR_TIMEOUT_NS, NULL));
    assert_int_equal(byte, 0);
}

/* The owner's queue of answers is too small for the answer: the memory does not change. */
TEST(an_answer_that_cannot_be_sent_is_refused_first)
{
    static const char *const options[] = {"send_queue_bytes", "4096", NULL};
    window_pair w;
    window_pair_open(&w, options);
    tc_window_step steps[2] = {tc_window_step_put(w.at, "12345678", 8),
                               tc_window_step_get(w.at, NULL, 5000)};
    window_pair_refused(&w, steps, 2, TC_E_TOO_LARGE, "option send_queue_bytes of the owner");
    steps[1].size = 4000;
    assert_ok(tc_window_chain(w.p.ep, steps, 2, PAIR_TIMEOUT_NS, NULL, NULL));
    window_pair_close(&w);
}
