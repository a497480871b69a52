/* Functions with holes: filled by their sender, callable at a target that has the code, asked
 * for again when they have left, and refused where values or peers do not fit. */
#include "../shipped/holed.h"
#include "../support/signed_pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "context/context_object.h"
#include "filled_archive.h"

#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/loader.h>

static const holed_offset offset = {7, {1, 2, 3}};
static tc_error error;

static tc_status try_fill(tc_ifunc *fn, uint64_t factor, tc_ifunc **filled_out)
{
    const tc_hole_value values[] = {TC_HOLE_VALUE("factor", factor),
                                    TC_HOLE_VALUE("offset", offset)};
    error = (tc_error){TC_OK, ""};
    return tc_ifunc_fill(fn, values, 2, filled_out, &error);
}

static tc_ifunc *fill(tc_ifunc *fn, uint64_t factor)
{
    tc_ifunc *filled = NULL;
    must(try_fill(fn, factor, &filled), &error, "fill");
    return filled;
}

static tc_status ask(tc_ep *ep, tc_ifunc *fn, uint64_t number, uint64_t *answer_out)
{
    const holed_message message = {.number = number};
    size_t size = sizeof *answer_out;
    error = (tc_error){TC_OK, ""};
    return tc_call(ep, fn, &message, sizeof message, answer_out, &size, PAIR_TIMEOUT_NS,
                   &error);
}

static void expect(tc_ep *ep, tc_ifunc *fn, uint64_t factor)
{
    uint64_t answer = 0;
    must(ask(ep, fn, 10, &answer), &error, "call");
    assert_int_equal(answer, holed_result(10, factor, offset));
}

static void expect_refused(tc_ep *ep, tc_ifunc *fn, tc_status status, const char *text)
{
    uint64_t answer;
    assert_status(ask(ep, fn, 10, &answer), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' lacks '%s'", error.text, text);
}

/* --- filled functions -------------------------------------------------------------------- */

static void two_values_are_two_functions(pair *p, const char *name)
{
    tc_ifunc *fn = pair_ifunc(p, name);
    tc_ifunc *by3 = fill(fn, 3), *by4 = fill(fn, 4);
    uint8_t ids[3][TC_IFUNC_ID_BYTES];
    assert_ptr_equal(fill(fn, 3), by3);
    assert_string_equal(tc_ifunc_name(by3), name);
    for (int i = 0; i < 3; i++) {
        expect(p->ep, by3, 3);
        expect(p->ep, by4, 4);
    }
    tc_ifunc_id(fn, ids[0]);
    tc_ifunc_id(by3, ids[1]);
    tc_ifunc_id(by4, ids[2]);
    assert_memory_not_equal(ids[0], ids[1], sizeof ids[0]);
    assert_memory_not_equal(ids[1], ids[2], sizeof ids[0]);
    assert_int_equal(p->target_state.next, 6);
    /* The values of each, the code, and once more the values that had come before it. */
    assert_int_equal(pair_counter(p, "code_received"), 4);
}

PAIR_TEST(values_reach_the_target)
{
    two_values_are_two_functions(p, "holed");
}

PAIR_TEST(cxx_is_as_c)
{
    two_values_are_two_functions(p, "holed_cxx");
}

TEST(values_are_asked_for_where_code_is_not_pushed)
{
    pair p;
    pair_open(&p, (const char *const[]){"code_push", "no", NULL});
    two_values_are_two_functions(&p, "holed");
    pair_close(&p);
}

PAIR_TEST(a_filled_function_is_prepared_and_sent_with_its_code)
{
    tc_ifunc *fn = pair_ifunc(p, "holed"), *filled = fill(fn, 3);
    const holed_message message = {.number = 10};
    must(tc_ep_prepare(p->ep, filled, PAIR_TIMEOUT_NS, &error), &error, "prepare");
    assert_ok(tc_send_uncached(p->ep, filled, &message, sizeof message));
    pair_flush(p->ep);
    assert_int_equal(p->target_state.bytes, holed_result(10, 3, offset));
}

/* It sends itself back and forth. */
PAIR_TEST(a_filled_function_travels_on)
{
    tc_ifunc *filled = fill(pair_ifunc(p, "holed"), 3);
    const holed_message message = {.number = 10, .times = 5};
    assert_ok(tc_send(p->ep, filled, &message, sizeof message));
    while (p->source_state.next < 3)
        assert_ok(tc_wait(p->source, PAIR_TIMEOUT_NS));
    pair_flush(p->ep);
    assert_int_equal(p->target_state.next, 3);
    assert_int_equal(p->target_state.wrong + p->source_state.wrong, 0);
}

/* Not only its sender has the code: a node that got it from one has it for another. */
PAIR_TEST(a_node_fills_code_that_came_to_it)
{
    tc_context *third = test_context(NULL);
    tc_ifunc *fn, *filled = fill(pair_ifunc(p, "holed"), 3);
    tc_ep *ep;
    size_t size;
    expect(p->ep, filled, 3);
    const void *archive = tc_ifunc_archive(pair_ifunc(p, "holed"), &size);
    must(tc_ifunc_open_code(third, &(tc_code){.bytes = archive, .size = size}, &fn, &error),
         &error, "open");
    must(tc_ep_connect(third, p->host_port, PAIR_TIMEOUT_NS, &ep, &error), &error, "connect");
    expect(ep, fill(fn, 5), 5);
    assert_int_equal(pair_counter(p, "code_received"), 4);
    tc_ep_close(ep);
    tc_context_destroy(third);
}

/* --- handles ----------------------------------------------------------------------------- */

PAIR_TEST(closing_either_handle_leaves_the_other)
{
    tc_ifunc *fn = pair_ifunc(p, "holed");
    tc_ifunc *by3 = fill(fn, 3), *by4 = fill(fn, 4);
    tc_ifunc_close(by4);
    expect(p->ep, by3, 3);
    tc_ifunc_close(fn);
    tc_ep *ep = pair_connect(p);
    expect(ep, by3, 3);
    tc_ep_close(ep);
    tc_ifunc_close(by3);
}

/* The code is asked for when all handles are closed. */
PAIR_TEST(messages_of_closed_handles_still_run)
{
    tc_ifunc *fn = pair_ifunc(p, "holed"), *filled = fill(fn, 3);
    const holed_message message = {.number = 10};
    pair_pause(p);
    assert_ok(tc_send(p->ep, filled, &message, sizeof message));
    tc_ifunc_close(fn);
    tc_ifunc_close(filled);
    pair_resume(p);
    pair_flush(p->ep);
    assert_int_equal(tc_ep_refusal(p->ep, &error), 0);
    assert_int_equal(p->target_state.bytes, holed_result(10, 3, offset));
}

/* --- functions that leave ---------------------------------------------------------------- */

TEST(values_that_left_come_again)
{
    pair p;
    pair_open_as(&p, NULL, (const char *const[]){"functions_max", "3", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "holed");
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t factor = 1; factor <= 5; factor++)
            expect(p.ep, fill(fn, factor), factor);
    }
    assert_true(pair_counter(&p, "code_evicted") >= 10);
    pair_close(&p);
}

/* Other functions take all capacity meanwhile, so the code has left, too. */
TEST(code_that_left_comes_again_with_values)
{
    pair p;
    pair_open_as(&p, NULL, (const char *const[]){"functions_max", "2", NULL});
    tc_ifunc *filled = fill(pair_ifunc(&p, "holed"), 3);
    const char eight[8] = {0};
    for (int round = 0; round < 3; round++) {
        expect(p.ep, filled, 3);
        for (int i = 1; i <= 3; i++) {
            assert_ok(pair_send(p.ep, pair_crowd_member(&p, i), eight, sizeof eight));
            pair_flush(p.ep);
            if (tc_ep_refusal(p.ep, &error) > 0)
                fail_msg("%s", error.text);
        }
    }
    if (tc_ep_refusal(p.ep, &error) > 0)
        fail_msg("%s", error.text);
    pair_close(&p);
}

TEST(a_target_without_capacity_for_both_refuses)
{
    pair p;
    pair_open_as(&p, NULL, (const char *const[]){"functions_max", "1", NULL});
    expect_refused(p.ep, fill(pair_ifunc(&p, "holed"), 3), TC_E_TOO_LARGE, "functions_max");
    pair_close(&p);
}

/* --- refusals of values ------------------------------------------------------------------ */

typedef struct wrong_values {
    tc_hole_value values[3];
    size_t count;
    tc_status status;
    const char *text;
} wrong_values;

PAIR_TEST(wrong_values_are_refused_by_name)
{
    static const uint64_t one = 1;
    static const uint32_t half = 1;
    static const double real = 1;
#define FACTOR TC_HOLE_VALUE("factor", one)
#define OFFSET TC_HOLE_VALUE("offset", offset)
#define BYTES(name, bytes, size)                                                               \
    {                                                                                          \
        name, bytes, size, TC_HOLE_BYTES                                                       \
    }
    static const wrong_values rows[] = {
        {{FACTOR}, 1, TC_E_INVALID, "holed: hole offset has no value"},
        {{FACTOR}, 0, TC_E_INVALID, "holed: hole factor has no value"},
        {{OFFSET, FACTOR, FACTOR}, 3, TC_E_INVALID, "holed: two values for hole factor"},
        {{OFFSET, TC_HOLE_VALUE("factor", half)},
         2,
         TC_E_INVALID,
         "factor has 8 bytes, its value 4"},
        {{OFFSET, TC_HOLE_VALUE("facto", one)},
         2,
         TC_E_NOT_FOUND,
         "no hole 'facto'; is it factor"},
        {{OFFSET, TC_HOLE_VALUE("zzz", one)},
         2,
         TC_E_NOT_FOUND,
         "no hole 'zzz'; it has factor"},
        {{OFFSET, BYTES(NULL, &one, 8)}, 2, TC_E_INVALID, "a value without a name"},
        {{OFFSET, BYTES("factor", NULL, 8)}, 2, TC_E_INVALID, "a value without a pointer"},
        {{OFFSET, TC_HOLE_VALUE("factor", real)},
         2,
         TC_E_INVALID,
         "hole factor is an integer of 8 bytes, its value a floating-point number"},
        {{OFFSET, {"factor", &one, 8, (tc_hole_kind)3}},
         2,
         TC_E_INVALID,
         "the value of hole factor is of kind 3, known are 0 to 2"},
    };
    tc_ifunc *fn = pair_ifunc(p, "holed"), *filled;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_status(tc_ifunc_fill(fn, rows[i].values, rows[i].count, &filled, &error),
                      rows[i].status);
        if (strstr(error.text, rows[i].text) == NULL)
            fail_msg("'%s' lacks '%s'", error.text, rows[i].text);
    }
    assert_status(try_fill(pair_ifunc(p, "doubled"), 1, &filled), TC_E_INVALID);
    assert_string_equal(error.text, "doubled has no holes");
    assert_status(try_fill(fill(fn, 1), 1, &filled), TC_E_INVALID);
    assert_string_equal(error.text, "holed has its values already");
}

PAIR_TEST(code_without_values_runs_nowhere)
{
    tc_ifunc *fn = pair_ifunc(p, "holed");
    expect_refused(p->ep, fn, TC_E_INVALID, "values are not set");
    assert_status(tc_send(p->ep, fn, "", 0), TC_E_INVALID);
    assert_status(tc_ep_prepare(p->ep, fn, PAIR_TIMEOUT_NS, &error), TC_E_REFUSED);
    assert_non_null(strstr(error.text, "hole factor has no value"));
    assert_int_equal(p->target_state.next, 0);
}

PAIR_TEST(injected_code_has_no_values)
{
    tc_ifunc *fn = pair_ifunc(p, "holed");
    assert_status(tc_send_injected(p->ep, fill(fn, 3), "", 0), TC_E_UNSUPPORTED);
    assert_status(tc_send_error(p->source, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "holes"));
}

/* --- filled archives that do not fit ----------------------------------------------------- */

static tc_status open_filled(pair *p, const tci_filled_archive *filled, const char *deps,
                             tc_ifunc **fn_out)
{
    uint8_t bytes[TCI_FILLED_BYTES_MAX];
    const tc_code code = {.bytes = bytes,
                          .size = tci_filled_archive_write(filled, bytes),
                          .deps = deps,
                          .deps_size = deps != NULL ? strlen(deps) : 0};
    error = (tc_error){TC_OK, ""};
    return tc_ifunc_open_code(p->source, &code, fn_out, &error);
}

static tci_filled_archive filled_of(const tc_ifunc *fn)
{
    static const uint8_t zeros[256];
    return (tci_filled_archive){.code = fn->id,
                                .archive_size = (uint32_t)fn->archive_size,
                                .values = {2, {{zeros, 8}, {zeros, sizeof offset}}}};
}

PAIR_TEST(values_that_fit_no_hole_are_refused_at_the_target)
{
    tc_ifunc *fn = pair_ifunc(p, "holed"), *filled;
    tci_filled_archive wrong = filled_of(fn);
    wrong.values.count = 1;
    assert_ok(open_filled(p, &wrong, NULL, &filled));
    expect_refused(p->ep, filled, TC_E_INVALID, "1 values, its image has 2 holes");
    wrong = filled_of(fn);
    wrong.values.items[0].size = 9;
    assert_ok(open_filled(p, &wrong, NULL, &filled));
    expect_refused(p->ep, filled, TC_E_INVALID, "hole factor has 9 bytes, expected 8");
    expect(p->ep, fill(fn, 3), 3);
}

PAIR_TEST(filled_archives_of_other_code_are_refused)
{
    tc_ifunc *fn = pair_ifunc(p, "holed"), *doubled = pair_ifunc(p, "doubled"), *filled;
    tci_filled_archive wrong = filled_of(fn);
    wrong.code.bytes[3] ^= 1;
    assert_status(open_filled(p, &wrong, NULL, &filled), TC_E_ABSENT);
    wrong = filled_of(fn);
    assert_status(open_filled(p, &wrong, "libm.so.6\n", &filled), TC_E_CORRUPT);
    wrong = filled_of(doubled);
    assert_status(open_filled(p, &wrong, NULL, &filled), TC_E_UNSUPPORTED);
    wrong = filled_of(fill(fn, 3));
    assert_status(open_filled(p, &wrong, NULL, &filled), TC_E_CORRUPT);
    assert_non_null(strstr(error.text, "values already"));
}

/* --- peers ------------------------------------------------------------------------------- */

/* As a build without the module, or an older release, which reads version 1 alone. */
PAIR_TEST(a_peer_without_the_feature_refuses_by_version)
{
    tci_registry *registry = &p->target->core.registry;
    const struct tci_holes_ops *holes = registry->holes;
    pair_pause(p);
    registry->holes = NULL;
    pair_resume(p);
    expect_refused(p->ep, fill(pair_ifunc(p, "holed"), 3), TC_E_VERSION, "version 2");
    pair_pause(p);
    registry->holes = holes;
    pair_resume(p);
}

STRICT_TEST(values_of_signed_code_need_no_signature)
{
    tc_ifunc *fn = signing_open_by(s->pair.source, "holed", &s->keys.alice);
    tc_ifunc *filled = fill(fn, 3);
    expect(s->pair.ep, filled, 3);
    pair_pause(&s->pair);
    assert_string_equal(tc_ifunc_signer(signed_pair_at_target(s, filled)), "alice");
    pair_resume(&s->pair);
}

STRICT_TEST(values_of_unsigned_code_are_refused_where_a_signature_is_required)
{
    tc_ifunc *fn = signing_open(s->pair.source, "holed", NULL);
    expect_refused(s->pair.ep, fill(fn, 3), TC_E_REFUSED, "not signed");
}

/* Nor do values bring in code that another key has signed. */
STRICT_TEST(values_under_a_foreign_signature_are_refused)
{
    tc_ifunc *fn = signing_open_by(s->pair.source, "holed", &s->keys.mallory);
    expect_refused(s->pair.ep, fill(fn, 3), TC_E_REFUSED, "none of the 1");
}
