/* Libraries that travel: pushed, shared, replaced, withdrawn. */
#include "../shipped/shelf.h"
#include "../support/pair.h"
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/call.h>
#include <tc/library.h>
#include <unistd.h>

#define SHORT_NS 100000000ull
/* The function that needs it, and the symbol. */
#define UNRESOLVED "shelf: no library here defines: shelf_nobody_has"

static char ended_path[] = "/tmp/tc_shelf_ended_XXXXXX"; /* the libraries' SHELF_ENDED */

/* The versions that have ended, a digit each. */
static void expect_ended(const char *versions)
{
    char ended[64] = "";
    FILE *file = fopen(ended_path, "r");
    assert_non_null(file);
    const size_t length = fread(ended, 1, sizeof ended - 1, file);
    assert_int_equal(fclose(file), 0);
    ended[length] = '\0';
    assert_string_equal(ended, versions);
    assert_int_equal(truncate(ended_path, 0), 0);
}

static void expect_ended_by_now(pair *p, const char *versions)
{
    pair_pause(p);
    expect_ended(versions);
    pair_resume(p);
}

static shelf_answer call(tc_ep *ep, tc_ifunc *fn, uint64_t n)
{
    shelf_answer answer = {0};
    size_t size = sizeof answer;
    tc_error error;
    if (tc_call(ep, fn, &n, sizeof n, &answer, &size, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(size, sizeof answer);
    return answer;
}

static void functions_share_a_library_s_data(void **state)
{
    pair p;
    pair_open(&p, NULL);
    shipped_library_push(p.ep, SHELF(1));
    tc_ifunc *borrow = pair_ifunc(&p, "borrow"), *lend = pair_ifunc(&p, "lend");
    assert_int_equal(call(p.ep, borrow, 3).count, 3);
    assert_int_equal(call(p.ep, lend, 4).count, 7);
    tc_ep *other = pair_connect(&p);
    const shelf_answer answer = call(other, borrow, 5);
    assert_int_equal(answer.count, 12);
    assert_int_equal(answer.version, 1);
    assert_int_equal(answer.inits, 1);
    assert_int_equal(answer.calls, 2);
    pair_close(&p);
}

static tc_status try_call(tc_ep *ep, tc_ifunc *fn, tc_error *error)
{
    shelf_answer answer;
    size_t size = sizeof answer;
    const uint64_t one = 1;
    return tc_call(ep, fn, &one, sizeof one, &answer, &size, PAIR_TIMEOUT_NS, error);
}

static void expect_refusal(tc_ep *ep, tc_ifunc *fn, tc_status status, const char *text)
{
    tc_error error = {0};
    assert_int_equal(try_call(ep, fn, &error), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' lacks '%s'", error.text, text);
}

static void expect_no_push(pair *p, const char *name, tc_status status, const char *text)
{
    tc_error error = {0};
    assert_int_equal(shipped_library_try_push(p->ep, name, PAIR_TIMEOUT_NS, &error), status);
    if (strstr(error.text, text) == NULL)
        fail_msg("'%s' lacks '%s'", error.text, text);
}

static void withdraw(pair *p, const char *name)
{
    tc_error error;
    must(shipped_library_try_withdraw(p->ep, name, &error), &error, name);
}

/* --- names that change their meaning ------------------------------------------------------ */

static void a_newer_version_takes_over_with_the_data(void **state)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *borrow = pair_ifunc(&p, "borrow"), *lend = pair_ifunc(&p, "lend");
    shipped_library_push(p.ep, SHELF(1));
    assert_int_equal(call(p.ep, borrow, 3).count, 3);
    assert_int_equal(call(p.ep, lend, 4).count, 7);
    expect_ended_by_now(&p, "");
    shipped_library_push(p.ep, SHELF(2));
    expect_ended_by_now(&p, "1");
    const shelf_answer borrowed = call(p.ep, borrow, 1), lent = call(p.ep, lend, 1);
    assert_int_equal(borrowed.version, 2);
    assert_int_equal(borrowed.count, 8);
    assert_int_equal(borrowed.inits, 1);
    assert_int_equal(lent.version, 2);
    assert_int_equal(lent.count, 9);
    shipped_library_push(p.ep, SHELF(2)); /* is in force already */
    assert_int_equal(call(p.ep, lend, 0).inits, 1);
    shipped_library_push(p.ep, SHELF(1)); /* and back */
    const shelf_answer back = call(p.ep, lend, 1);
    assert_int_equal(back.version, 1);
    assert_int_equal(back.count, 10);
    expect_ended_by_now(&p, "2");
    pair_close(&p);
    expect_ended("1");
}

static void a_function_keeps_its_own_variables(void **state)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *borrow = pair_ifunc(&p, "borrow");
    shipped_library_push(p.ep, SHELF(1));
    assert_int_equal(call(p.ep, borrow, 0).calls, 1);
    for (uint64_t i = 2; i < 6; i++) {
        shipped_library_push(p.ep, i % 2 == 0 ? SHELF(2) : SHELF(1));
        const shelf_answer answer = call(p.ep, borrow, 0);
        assert_int_equal(answer.version, i % 2 == 0 ? 2 : 1);
        assert_int_equal(answer.calls, i);
    }
    pair_close(&p);
}

static void what_is_withdrawn_is_named_and_may_come_again(void **state)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *lend = pair_ifunc(&p, "lend"), *check = pair_ifunc(&p, "check");
    expect_refusal(p.ep, lend, TC_E_ABSENT, "lend: deps: library tc:shelf is not at this node");
    shipped_library_push(p.ep, SHELF(1));
    assert_int_equal(call(p.ep, lend, 3).count, 3);
    expect_ended_by_now(&p, "");
    withdraw(&p, SHELF(1));
    expect_ended_by_now(&p, "1");
    expect_refusal(p.ep, lend, TC_E_ABSENT, "library tc:shelf is not at this node");
    pair_send_check(p.ep, check, 0, 10); /* others go on */
    pair_flush(p.ep);
    assert_int_equal(p.target_state.next, 1);
    shipped_library_push(p.ep, SHELF(2));
    const shelf_answer answer = call(p.ep, lend, 4);
    assert_int_equal(answer.version, 2);
    assert_int_equal(answer.count, 4);
    pair_close(&p);
}

static void a_push_that_fails_changes_nothing(void **state)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *lend = pair_ifunc(&p, "lend");
    expect_no_push(&p, SHELF(3), TC_E_REFUSED, "shelf: its shelf_init returned 7");
    expect_no_push(&p, SHELF(5), TC_E_UNRESOLVED, UNRESOLVED);
    shipped_library_push(p.ep, SHELF(1));
    assert_int_equal(call(p.ep, lend, 3).count, 3);
    expect_no_push(&p, SHELF(3), TC_E_REFUSED, "shelf: its shelf_init returned 7");
    expect_no_push(&p, SHELF(5), TC_E_UNRESOLVED, UNRESOLVED);
    expect_no_push(&p, SHELF(3), TC_E_REFUSED, "shelf: its shelf_init returned 7");
    const shelf_answer answer = call(p.ep, lend, 1);
    assert_int_equal(answer.version, 1);
    assert_int_equal(answer.count, 4);
    pair_close(&p);
}

static void a_version_without_a_symbol_fails_those_that_need_it(void **state)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *lend = pair_ifunc(&p, "lend");
    shipped_library_push(p.ep, SHELF(1));
    assert_int_equal(call(p.ep, lend, 3).count, 3);
    shipped_library_push(p.ep, SHELF(4));
    expect_refusal(p.ep, lend, TC_E_UNRESOLVED, "shelf_put");
    shipped_library_push(p.ep, SHELF(2));
    assert_int_equal(call(p.ep, lend, 3).version, 2);
    pair_close(&p);
}

static void a_library_outlives_who_pushed_it(void **state)
{
    pair p;
    pair_open(&p, NULL);
    tc_ep *pusher = p.ep;
    shipped_library_push(p.ep, SHELF(1));
    tc_ifunc *lend = pair_ifunc(&p, "lend");
    assert_int_equal(call(p.ep, lend, 3).count, 3);
    p.ep = pair_connect(&p);
    tc_ep_close(pusher);
    assert_int_equal(call(p.ep, lend, 3).count, 6);
    pair_close(&p);
}

/* It may have come, or not, and neither is half of it. */
static void a_push_that_is_given_up_leaves_no_half(void **state)
{
    pair p;
    tc_error error;
    pair_open(&p, NULL);
    tc_ep *pusher = p.ep;
    p.ep = pair_connect(&p);
    pair_pause(&p);
    assert_status(shipped_library_try_push(pusher, SHELF(1), SHORT_NS, &error), TC_E_TIMEOUT);
    pair_resume(&p);
    tc_ep_close(pusher);
    shipped_library_push(p.ep, SHELF(1));
    const shelf_answer answer = call(p.ep, pair_ifunc(&p, "lend"), 3);
    assert_int_equal(answer.inits, 1);
    assert_int_equal(answer.count, 3);
    pair_close(&p);
}

static void functions_and_libraries_are_told_apart(void **state)
{
    pair p;
    char path[1100];
    tc_ifunc *fn;
    tc_library *library;
    tc_error error;
    pair_open(&p, NULL);
    (void)snprintf(path, sizeof path, "%s/shelf1/shelf.tca", getenv("TC_IFUNC_PATH"));
    assert_status(tc_ifunc_open_code(p.source, &(tc_code){.path = path}, &fn, &error),
                  TC_E_INVALID);
    assert_non_null(strstr(error.text, "shelf is a library"));
    assert_status(tc_library_open(p.source, "borrow", &library, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "borrow is a function"));
    pair_close(&p);
}

static void a_node_may_take_none(void **state)
{
    pair p;
    pair_open_as(&p, NULL, (const char *const[]){"take_libraries", "no", NULL});
    expect_no_push(&p, SHELF(1), TC_E_REFUSED, "option take_libraries");
    pair_close(&p);
}

/* Two processes, or contexts, mean different functions by one name. */
static void one_name_means_another_thing_elsewhere(void **state)
{
    pair p, q;
    pair_open(&p, NULL);
    pair_open(&q, NULL);
    shipped_library_push(p.ep, SHELF(1));
    shipped_library_push(q.ep, SHELF(2));
    tc_ifunc *here = pair_ifunc(&p, "lend"), *there = pair_ifunc(&q, "lend");
    assert_int_equal(call(p.ep, here, 1).version, 1);
    assert_int_equal(call(q.ep, there, 1).version, 2);
    assert_int_equal(call(p.ep, here, 1).count, 2);
    pair_close(&p);
    assert_int_equal(call(q.ep, there, 1).count, 2);
    pair_close(&q);
}

static int forget_what_has_ended(void **state)
{
    (void)state;
    return truncate(ended_path, 0);
}

/* No other thread is there yet. */
static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(ended_path);
    return fd >= 0 && close(fd) == 0 ? setenv("SHELF_ENDED", ended_path, 1) : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(ended_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(functions_share_a_library_s_data, forget_what_has_ended),
        cmocka_unit_test_setup(a_newer_version_takes_over_with_the_data, forget_what_has_ended),
        cmocka_unit_test_setup(a_function_keeps_its_own_variables, forget_what_has_ended),
        cmocka_unit_test_setup(what_is_withdrawn_is_named_and_may_come_again,
                               forget_what_has_ended),
        cmocka_unit_test_setup(a_push_that_fails_changes_nothing, forget_what_has_ended),
        cmocka_unit_test_setup(a_version_without_a_symbol_fails_those_that_need_it,
                               forget_what_has_ended),
        cmocka_unit_test_setup(a_library_outlives_who_pushed_it, forget_what_has_ended),
        cmocka_unit_test_setup(a_push_that_is_given_up_leaves_no_half, forget_what_has_ended),
        cmocka_unit_test_setup(functions_and_libraries_are_told_apart, forget_what_has_ended),
        cmocka_unit_test_setup(a_node_may_take_none, forget_what_has_ended),
        cmocka_unit_test_setup(one_name_means_another_thing_elsewhere, forget_what_has_ended),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
