/* Filled functions by the other ways in: lists of permitted and of revoked code, packages with
 * a library of the target's own, local functions, tasks, and archives without an image for the
 * target. */
#include "../support/signed_pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/content_id.h"

#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/entry.h>
#include <tc/loader.h>
#include <tc/package.h>

static tc_error error;

static tc_ifunc *fill(tc_ifunc *fn, const char *hole, uint64_t value)
{
    const tc_hole_value values[] = {TC_HOLE_VALUE(hole, value)};
    tc_ifunc *filled = NULL;
    must(tc_ifunc_fill(fn, values, 1, &filled, &error), &error, hole);
    return filled;
}

static tc_status ask(tc_ep *ep, tc_ifunc *fn, uint64_t number, uint64_t *answer_out)
{
    size_t size = sizeof *answer_out;
    error = (tc_error){TC_OK, ""};
    return tc_call(ep, fn, &number, sizeof number, answer_out, &size, PAIR_TIMEOUT_NS, &error);
}

static void expect(tc_ep *ep, tc_ifunc *fn, uint64_t number, uint64_t wanted)
{
    uint64_t found = 0;
    must(ask(ep, fn, number, &found), &error, "call");
    assert_int_equal(found, wanted);
}

static void expect_refused(tc_ep *ep, tc_ifunc *fn, const char *text)
{
    uint64_t number;
    assert_status(ask(ep, fn, 1, &number), TC_E_REFUSED);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' lacks '%s'", error.text, text);
}

/* --- lists ------------------------------------------------------------------------------- */

static void list(signed_pair *s, const tc_ifunc *fn)
{
    tci_content_id id;
    char text[TCI_CONTENT_ID_TEXT];
    tc_ifunc_id(fn, id.bytes);
    tci_content_id_text(&id, text);
    signing_list(&s->keys, text);
}

/* Opens the functions in a context of their own first, as the pair's target reads the list when
 * it is created. Ids are the same everywhere. */
static void list_drowsy(signed_pair *s, bool filled)
{
    tc_context *reader = test_context(NULL);
    tc_ifunc *fn = signing_open(reader, "drowsy", NULL);
    list(s, filled ? fill(fn, "naps", 3) : fn);
    tc_context_destroy(reader);
}

SIGNED_TEST(a_list_permits_all_values_of_its_code)
{
    list_drowsy(s, false);
    pair_open_as(&s->pair, NULL, (const char *const[]){"code_allow", s->keys.list, NULL});
    tc_ifunc *fn = signing_open(s->pair.source, "drowsy", NULL);
    expect(s->pair.ep, fill(fn, "naps", 3), 0, 3);
    expect(s->pair.ep, fill(fn, "naps", 4), 0, 4);
    expect_refused(s->pair.ep, fill(signing_open(s->pair.source, "line", NULL), "slope", 2),
                   "code_allow");
}

/* The code has to be permitted, which may have any value then. */
SIGNED_TEST(a_list_permits_no_values_by_their_own_id)
{
    list_drowsy(s, true);
    pair_open_as(&s->pair, NULL, (const char *const[]){"code_allow", s->keys.list, NULL});
    tc_ifunc *fn = signing_open(s->pair.source, "drowsy", NULL);
    expect_refused(s->pair.ep, fill(fn, "naps", 3), "code_allow");
}

SIGNED_TEST(a_list_revokes_values_by_their_own_id)
{
    list_drowsy(s, true);
    signed_pair_open_with(s, NULL, "code_revoked", s->keys.list);
    tc_ifunc *fn = signing_open_by(s->pair.source, "drowsy", &s->keys.alice);
    expect(s->pair.ep, fill(fn, "naps", 4), 0, 4);
    expect_refused(s->pair.ep, fill(fn, "naps", 3),
                   "drowsy: it is in the list of option code_revoked");
    expect(s->pair.ep, fill(fn, "naps", 4), 0, 4);
}

SIGNED_TEST(a_list_revokes_all_values_of_its_code)
{
    list_drowsy(s, false);
    signed_pair_open_with(s, NULL, "code_revoked", s->keys.list);
    tc_ifunc *fn = signing_open_by(s->pair.source, "drowsy", &s->keys.alice);
    expect_refused(s->pair.ep, fill(fn, "naps", 3), "code_revoked");
    expect_refused(s->pair.ep, fill(fn, "naps", 4), "code_revoked");
}

/* Values that ran are refused once the list has them. */
SIGNED_TEST(values_are_revoked_while_they_run)
{
    signing_list(&s->keys, "");
    signed_pair_open_with(s, NULL, "code_revoked", s->keys.list);
    tc_ifunc *fn = signing_open_by(s->pair.source, "drowsy", &s->keys.alice);
    tc_ifunc *by3 = fill(fn, "naps", 3), *by4 = fill(fn, "naps", 4);
    expect(s->pair.ep, by3, 0, 3);
    expect(s->pair.ep, by4, 0, 4);
    list(s, by3);
    pair_pause(&s->pair);
    must(tc_context_reload_trust(s->pair.target, &error), &error, "reload");
    pair_resume(&s->pair);
    expect_refused(s->pair.ep, by3, "refused");
    expect(s->pair.ep, by4, 0, 4);
}

/* --- tasks ------------------------------------------------------------------------------- */

typedef struct awaited {
    uint64_t wanted, found;
    unsigned *left;
} awaited;

static void take(void *user, const tc_call_outcome *outcome)
{
    awaited *a = user;
    assert_int_equal(outcome->status, TC_OK);
    assert_int_equal(a->found, a->wanted);
    --*a->left;
}

/* Many of them at a time, each of which sees its own value after each sleep. */
PAIR_TEST(values_stay_while_tasks_wait)
{
    enum { TASKS = 12 };
    tc_ifunc *fn = pair_ifunc(p, "drowsy");
    unsigned left = TASKS;
    awaited answers[TASKS];
    for (unsigned i = 0; i < TASKS; i++) {
        answers[i] = (awaited){i, 0, &left};
        const tc_call_params params = {.result = &answers[i].found,
                                       .result_capacity = sizeof answers[i].found,
                                       .timeout_ns = PAIR_TIMEOUT_NS,
                                       .done = take,
                                       .user = &answers[i]};
        must(tc_call_start(p->ep, fill(fn, "naps", i), "", 0, &params, NULL, &error), &error,
             "start");
    }
    while (left > 0)
        assert_ok(tc_wait(p->source, PAIR_TIMEOUT_NS));
}

/* --- packages and local functions -------------------------------------------------------- */

static const char *place_of(const char *file)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", getenv("TC_IFUNC_PATH"), file);
    return path;
}

static void fill_a_package(pair *p, bool is_local)
{
    tc_package *package, *local = NULL;
    must(tc_package_open(p->source, place_of("lines.tcp"), NULL, &package, &error), &error,
         "lines.tcp");
    pair_pause(p);
    if (is_local)
        must(tc_package_use_local(p->target, place_of("liblines-local.so"), &local, &error),
             &error, "liblines-local.so");
    pair_resume(p);
    tc_ifunc *line = tc_package_ifunc(package, 1);
    for (uint64_t slope = 2; slope < 5; slope++)
        expect(p->ep, fill(line, "slope", slope), 10, 10 * slope);
    expect(p->ep, tc_package_ifunc(package, 2), 0, is_local);
    assert_status(ask(p->ep, line, 1, &(uint64_t){0}), TC_E_INVALID);
    must(tc_package_prepare(p->ep, package, PAIR_TIMEOUT_NS, &error), &error, "prepare");
    expect(p->ep, fill(line, "slope", 7), 10, 70);
    tc_package_close(package);
    pair_pause(p);
    tc_package_close(local);
    pair_resume(p);
}

PAIR_TEST(functions_of_packages_are_filled)
{
    fill_a_package(p, false);
}

/* The library has zeros for the hole, so it does not stand in for that function. */
PAIR_TEST(values_run_beside_local_functions_of_a_package)
{
    fill_a_package(p, true);
}

static void answer_by_99(void *payload, size_t size, void *target_args)
{
    const uint64_t local = 99;
    (void)payload;
    (void)size;
    (void)target_args;
    (void)!tc_reply(&local, sizeof local);
}

/* A local function stands for one value. */
PAIR_TEST(local_functions_stand_for_values)
{
    pair_pause(p);
    size_t size;
    tc_ifunc *fn = pair_ifunc(p, "drowsy"), *at_target, *local;
    const void *archive = tc_ifunc_archive(fn, &size);
    must(tc_ifunc_open_code(p->target, &(tc_code){.bytes = archive, .size = size}, &at_target,
                            &error),
         &error, "open");
    assert_status(tc_ifunc_use_local(at_target, answer_by_99, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "values are not set"));
    local = fill(at_target, "naps", 3);
    must(tc_ifunc_use_local(local, answer_by_99, &error), &error, "use_local");
    pair_resume(p);
    expect(p->ep, fill(fn, "naps", 3), 0, 99);
    expect(p->ep, fill(fn, "naps", 4), 0, 4);
}

/* --- targets of another architecture ----------------------------------------------------- */

/* A node of one architecture has no use for values of code for another one. */
PAIR_TEST(a_target_without_an_image_says_so)
{
    uint64_t number;
    tc_ifunc *filled = fill(pair_ifunc(p, "foreign_drowsy"), "naps", 3);
    assert_status(ask(p->ep, filled, 0, &number), TC_E_NO_SLICE);
    if (strstr(error.text, "it has:") == NULL)
        fail_msg("'%s' lacks the forms that it has", error.text);
}
