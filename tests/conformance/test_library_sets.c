/* Several libraries at a node: those that use others, those that define the same, one that is a
 * shared object as any compiler makes it; and rights of their owner that others lack. */
#include "../shipped/shelf.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/library.h>
#include <unistd.h>

static void expect_no_install(tc_context *ctx, const char *name, tc_status status,
                              const char *text)
{
    tc_error error = {0};
    assert_int_equal(shipped_library_try_install(ctx, name, &error), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' lacks '%s'", error.text, text);
}

static tc_status call(pair *p, tc_ifunc *fn, uint64_t n, void *answer, size_t size,
                      tc_error *error)
{
    return tc_call(p->ep, fn, &n, sizeof n, answer, &size, PAIR_TIMEOUT_NS, error);
}

static uint64_t annex_put(tc_context *ctx, uint64_t n)
{
    uint64_t (*put)(uint64_t);
    *(void **)&put = tc_library_symbol(ctx, "annex", "annex_put");
    assert_non_null(put);
    return put(n);
}

static uint64_t count_of(tc_context *ctx)
{
    const uint64_t *count = tc_library_symbol(ctx, "shelf", "shelf_count");
    assert_non_null(count);
    return *count;
}

/* --- libraries that use libraries --------------------------------------------------------- */

TEST(a_library_uses_another_one)
{
    tc_error error;
    tc_library_info infos[3];
    tc_context *ctx = test_context(NULL);
    expect_no_install(ctx, "annex", TC_E_ABSENT,
                      "annex: deps: library tc:shelf is not at this node");
    shipped_library_install(ctx, SHELF(1));
    shipped_library_install(ctx, "annex");
    assert_int_equal(annex_put(ctx, 4), 8);
    assert_int_equal(count_of(ctx), 8);
    assert_int_equal(tc_library_list(ctx, infos, 3), 2);
    assert_string_equal(infos[0].name, "shelf");
    assert_int_equal(infos[0].symbols, 4);
    assert_int_equal(infos[0].libraries, 1);
    assert_string_equal(infos[1].name, "annex");
    assert_status(tc_library_remove(ctx, "shelf", &error), TC_E_IN_USE);
    assert_non_null(strstr(error.text, "tc:annex"));
    assert_ok(tc_library_remove(ctx, "annex", &error));
    assert_ok(tc_library_remove(ctx, "shelf", &error));
    assert_status(tc_library_remove(ctx, "shelf", &error), TC_E_NOT_FOUND);
    assert_int_equal(tc_library_list(ctx, NULL, 0), 0);
    tc_context_destroy(ctx);
}

/* The older one lives on for it, until it is sent again itself. */
TEST(a_library_stays_with_what_it_was_bound_to)
{
    tc_context *ctx = test_context(NULL);
    shipped_library_install(ctx, SHELF(1));
    shipped_library_install(ctx, "annex");
    assert_int_equal(annex_put(ctx, 1), 2);
    shipped_library_install(ctx, SHELF(2));
    assert_int_equal(count_of(ctx), 2);
    assert_int_equal(annex_put(ctx, 1), 4);
    assert_int_equal(count_of(ctx), 2);
    expect_no_install(ctx, SHELF(1), TC_E_IN_USE, "libraries use it still");
    tc_context_destroy(ctx);
}

PAIR_TEST(what_a_library_uses_stays)
{
    tc_error error;
    shipped_library_push(p->ep, SHELF(1));
    shipped_library_push(p->ep, "annex");
    assert_status(shipped_library_try_withdraw(p->ep, SHELF(1), &error), TC_E_IN_USE);
    if (strstr(error.text, "library tc:shelf is used by library tc:annex") == NULL)
        fail_msg("%s", error.text);
    must(shipped_library_try_withdraw(p->ep, "annex", &error), &error, "annex");
    must(shipped_library_try_withdraw(p->ep, SHELF(1), &error), &error, "shelf");
}

TEST(circles_are_refused)
{
    tc_context *ctx = test_context(NULL);
    shipped_library_install(ctx, SHELF(1));
    shipped_library_install(ctx, "annex");
    expect_no_install(ctx, SHELF(6), TC_E_INVALID,
                      "a circle of libraries: tc:shelf uses tc:annex uses tc:shelf");
    assert_int_equal(annex_put(ctx, 1), 2);
    assert_int_equal(count_of(ctx), 2);
    tc_context_destroy(ctx);
}

TEST(what_is_revoked_goes_with_those_that_use_it)
{
    char path[] = "/tmp/tc-test-XXXXXX", option[32];
    uint8_t id[TC_IFUNC_ID_BYTES];
    tc_error error;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    (void)snprintf(option, sizeof option, "@%s", path);
    tc_context *ctx = test_context((const char *const[]){"code_revoked", option, NULL});
    shipped_library_install(ctx, SHELF(1));
    shipped_library_install(ctx, "annex");
    shipped_library_install(ctx, "twin");
    tc_library *shelf = shipped_library_open(ctx, SHELF(1));
    tc_library_id(shelf, id);
    for (size_t i = 0; i < sizeof id; i++)
        assert_int_equal(dprintf(fd, "%02x", id[i]), 2);
    assert_int_equal(dprintf(fd, "\n"), 1);
    must(tc_context_reload_trust(ctx, &error), &error, "trust");
    tc_library_info info;
    assert_int_equal(tc_library_list(ctx, &info, 1), 1);
    assert_string_equal(info.name, "twin");
    assert_status(tc_library_install(ctx, shelf, &error), TC_E_REFUSED);
    tc_library_close(shelf);
    tc_context_destroy(ctx);
    (void)close(fd);
    (void)unlink(path);
}

/* --- functions that use several ----------------------------------------------------------- */

PAIR_TEST(two_definitions_of_a_symbol_are_named)
{
    tc_error error = {0};
    shelf_answer answer;
    shipped_library_push(p->ep, SHELF(1));
    shipped_library_push(p->ep, "twin");
    tc_ifunc *torn = pair_ifunc(p, "torn"), *lend = pair_ifunc(p, "lend");
    assert_status(call(p, torn, 1, &answer, sizeof answer, &error), TC_E_UNRESOLVED);
    if (strstr(error.text, "symbol shelf_version is defined by tc:shelf and by tc:twin") ==
        NULL)
        fail_msg("%s", error.text);
    assert_ok(call(p, lend, 1, &answer, sizeof answer, &error));
    assert_int_equal(answer.version, 1);
}

TEST(a_stock_shared_object_is_a_library)
{
    pair p;
    tc_error error;
    uint64_t total;
    pair_open(&p, (const char *const[]){"form", "auto", NULL});
    shipped_library_push(p.ep, "libstock");
    tc_ifunc *visit = pair_ifunc(&p, "call_stock");
    if (call(&p, visit, 2, &total, sizeof total, &error) != TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(total, 42);
    must(shipped_library_try_withdraw(p.ep, "libstock", &error), &error, "libstock");
    assert_status(call(&p, visit, 2, &total, sizeof total, &error), TC_E_ABSENT);
    shipped_library_push(p.ep, "libstock");
    assert_ok(call(&p, visit, 3, &total, sizeof total, &error));
    assert_int_equal(total, 43);
    pair_close(&p);
}

/* Under whatever descriptor it comes. */
TEST(a_shared_object_that_stays_is_taken_for_no_other)
{
    static const char *const names[] = {"stays1/libstays", "stays2/libstays"};
    tc_context *ctx = test_context((const char *const[]){"form", "auto", NULL});
    tc_error error;
    for (uint64_t i = 0; i < 6; i++) {
        shipped_library_install(ctx, names[i % 2]);
        const uint64_t *total = tc_library_symbol(ctx, "libstays", "stock_total");
        assert_non_null(total);
        assert_int_equal(*total, i % 2 + 1);
        if (i % 3 == 2)
            must(tc_library_remove(ctx, "libstays", &error), &error, "libstays");
    }
    tc_context_destroy(ctx);
}

/* Not even its constructors run. */
TEST(nothing_runs_of_what_a_node_does_not_take)
{
    pair p;
    tc_error error = {0};
    assert_int_equal(unsetenv("STOCK_HAS_BEGUN"), 0);
    pair_open_as(&p, (const char *const[]){"form", "auto", NULL},
                 (const char *const[]){"take_libraries", "no", "form", "auto", NULL});
    assert_status(shipped_library_try_push(p.ep, "libstock", PAIR_TIMEOUT_NS, &error),
                  TC_E_REFUSED);
    if (strstr(error.text, "option take_libraries") == NULL)
        fail_msg("%s", error.text);
    pair_close(&p);
    assert_null(getenv("STOCK_HAS_BEGUN"));
}

TEST(what_takes_images_alone_takes_no_shared_object)
{
    tc_context *ctx = test_context((const char *const[]){"form", "image", NULL});
    expect_no_install(ctx, "libstock", TC_E_NO_SLICE, "shared object");
    tc_context_destroy(ctx);
}

TEST(a_shared_object_of_another_libc_is_refused)
{
    tc_context *ctx = test_context((const char *const[]){"form", "auto", NULL});
    expect_no_install(ctx, "libelsewhere", TC_E_NO_LIBRARY, "libc.other-test.so.1");
    shipped_library_install(ctx, "libstock");
    tc_context_destroy(ctx);
}

/* --- owners of names ---------------------------------------------------------------------- */

PAIR_TEST(what_the_program_installed_no_peer_replaces)
{
    tc_error error = {0};
    pair_pause(p);
    shipped_library_install(p->target, SHELF(1));
    pair_resume(p);
    assert_status(shipped_library_try_push(p->ep, SHELF(2), PAIR_TIMEOUT_NS, &error),
                  TC_E_REFUSED);
    if (strstr(error.text, "library tc:shelf is that of this node") == NULL)
        fail_msg("%s", error.text);
    assert_status(shipped_library_try_withdraw(p->ep, SHELF(1), &error), TC_E_REFUSED);
}
