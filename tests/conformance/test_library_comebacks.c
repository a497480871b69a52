/* A library's content that was replaced and is pushed again while something that was bound to
 * it is still being loaded. */
#include "../shipped/shelf.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "context/context_object.h"
#include "engine/library_set.h"

#include <sched.h>
#include <tc/call.h>
#include <tc/library.h>

#define SHORT_NS 200000000ull

static void expect_version(pair *p, uint64_t version, uint64_t count)
{
    shelf_answer answer = {0};
    size_t size = sizeof answer;
    tc_error error;
    const uint64_t one = 1;
    if (tc_call(p->ep, pair_ifunc(p, "borrow"), &one, sizeof one, &answer, &size,
                PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(answer.version, version);
    assert_int_equal(answer.count, count);
    assert_int_equal(answer.inits, 1);
}

/* --- waiting for its holder ------------------------------------------------------------- */

static tci_library_set *set_of(pair *p)
{
    return p->target->core.registry.scope.libraries;
}

/* As a loader's thread does that binds a function. */
static tci_library *hold(pair *p)
{
    pair_pause(p);
    tci_library *library = tci_library_set_hold(set_of(p), "shelf");
    assert_non_null(library);
    pair_resume(p);
    return library;
}

static void let_go(pair *p, tci_library *library)
{
    pair_pause(p);
    tci_library_set_let_go(set_of(p), library);
    pair_resume(p);
}

PAIR_TEST(a_push_waits_for_what_is_being_bound)
{
    tc_error error;
    tc_ep *pusher = p->ep, *other = pair_connect(p);
    shipped_library_push(p->ep, SHELF(1));
    expect_version(p, 1, 1);
    tci_library *held = hold(p);
    shipped_library_push(p->ep, SHELF(2));
    expect_version(p, 2, 2);
    assert_status(shipped_library_try_push(p->ep, SHELF(1), SHORT_NS, &error), TC_E_TIMEOUT);
    p->ep = other; /* others go on meanwhile */
    expect_version(p, 2, 3);
    p->ep = pusher;
    let_go(p, held);
    shipped_library_push(p->ep, SHELF(1));
    expect_version(p, 1, 4);
    shipped_library_push(p->ep, SHELF(2));
    expect_version(p, 2, 5);
    tc_ep_close(other);
}

/* Like a message to any function that is being loaded. */
PAIR_TEST(a_withdrawal_waits_as_well)
{
    tc_error error;
    shipped_library_push(p->ep, SHELF(1));
    tci_library *held = hold(p);
    shipped_library_push(p->ep, SHELF(2));
    tc_library *first = shipped_library_open(p->source, SHELF(1));
    assert_status(tc_library_withdraw(p->ep, first, SHORT_NS, &error), TC_E_TIMEOUT);
    let_go(p, held);
    assert_status(tc_library_withdraw(p->ep, first, PAIR_TIMEOUT_NS, &error), TC_E_NOT_FOUND);
    tc_library_close(first);
    expect_version(p, 2, 1);
}

/* --- code that is being compiled ---------------------------------------------------------- */

static tc_ifunc *open_endless(pair *p)
{
    static uint8_t archive[1 << 20];
    static const char deps[] = "tc:shelf\n";
    char path[1100];
    tc_ifunc *fn;
    tc_error error;
    (void)snprintf(path, sizeof path, "%s/endless.tca", getenv("TC_IFUNC_PATH"));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(archive, 1, sizeof archive, file);
    (void)fclose(file);
    if (tc_ifunc_open_code(
            p->source,
            &(tc_code){
                .bytes = archive, .size = size, .deps = deps, .deps_size = sizeof deps - 1},
            &fn, &error) != TC_OK)
        fail_msg("%s", error.text);
    return fn;
}

/* Returns whether a thread of the target's loads a function of that name. */
static bool is_being_loaded(pair *p, const char *name)
{
    bool begun = false;
    pair_pause(p);
    for (const tc_ifunc *fn = p->target->core.registry.jobs; fn != NULL; fn = fn->job_next)
        begun |= strcmp(tci_archive_name(fn->archive), name) == 0 &&
                 tci_load_queue_is_begun(fn->job);
    pair_resume(p);
    return begun;
}

static void open_with_endless(pair *p)
{
    pair_open(p, (const char *const[]){"form", "bitcode", "compile_time_max", "1h", NULL});
    tc_ep *compiling = pair_connect(p);
    shipped_library_push(p->ep, SHELF(1));
    expect_version(p, 1, 1);
    assert_ok(tc_send(compiling, open_endless(p), "x", 1));
    while (!is_being_loaded(p, "endless"))
        (void)tc_progress(p->source);
}

TEST(versions_change_while_code_compiles)
{
    pair p;
    skip_if_emulated("there is no compiler's process, which could be ended");
    open_with_endless(&p);
    for (unsigned i = 0; i < 3; i++) {
        shipped_library_push(p.ep, SHELF(2));
        expect_version(&p, 2, 2 + 2 * i);
        shipped_library_push(p.ep, SHELF(1));
        expect_version(&p, 1, 3 + 2 * i);
    }
    assert_true(is_being_loaded(&p, "endless"));
    pair_close(&p);
}

PAIR_TEST(versions_are_installed_while_code_compiles)
{
    pair_pause(p);
    shipped_library_install(p->target, SHELF(1));
    shipped_library_install(p->target, SHELF(2));
    shipped_library_install(p->target, SHELF(1));
    pair_resume(p);
    expect_version(p, 1, 1);
}

/* --- failures meanwhile ---------------------------------------------------------------- */

static tc_ifunc *loading(pair *p)
{
    (void)tc_progress(p->source);
    (void)tc_progress(p->target);
    return p->target->core.registry.jobs;
}

/* The target is turned by hand, so that its thread finds out that there is no library, and the
 * library comes before that is reported. */
TEST(what_found_no_library_looks_again_when_one_came)
{
    pair p;
    tc_error error;
    const uint64_t one = 1;
    pair_open(&p, (const char *const[]){"form", "bitcode", NULL});
    pair_pause(&p);
    assert_ok(tc_send(p.ep, pair_ifunc(&p, "borrow"), &one, sizeof one));
    const tc_ifunc *fn;
    while ((fn = loading(&p)) == NULL)
        continue;
    while (!tci_load_queue_is_done(fn->job))
        (void)sched_yield();
    shipped_library_install(p.target, SHELF(1));
    pair_resume(&p);
    pair_flush(p.ep);
    assert_int_equal(tc_ep_refusal(p.ep, &error), 0);
    expect_version(&p, 1, 2);
    pair_close(&p);
}
