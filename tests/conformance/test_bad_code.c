/* Code that LLVM never finishes, or crashes on: its sender is notified, and all others go on.
 */
#include "../support/pair.h"
#include "../support/test.h"

static void expect_refused(tc_ep *ep, tc_status status, const char *const *parts)
{
    tc_error error = {0};
    pair_flush(ep);
    assert_int_equal(tc_ep_refusal(ep, &error), 1);
    if (error.status != status)
        fail_msg("%s: %s", tc_status_name(error.status), error.text);
    for (; *parts != NULL; parts++) {
        if (strstr(error.text, *parts) == NULL)
            fail_msg("'%s' is not in: %s", *parts, error.text);
    }
}

static void send_checks(pair *p, tc_ep *ep, uint64_t count)
{
    tc_ifunc *check = pair_ifunc(p, "check");
    uint64_t first = p->target_state.next;
    for (uint64_t i = 0; i < count; i++)
        pair_send_check(ep, check, first + i, 100);
    pair_flush(ep);
    assert_int_equal(p->target_state.next, first + count);
    assert_int_equal(p->target_state.wrong, 0);
}

TEST(code_that_takes_for_ever_stalls_its_own_endpoint)
{
    pair p;
    pair_open(&p, (const char *const[]){"form", "bitcode", "compile_time_max", "1500ms", NULL});
    tc_ep *other = pair_connect(&p);
    send_checks(&p, other, 10);
    assert_ok(tc_send(p.ep, pair_ifunc_file(&p, "endless"), "x", 1));
    send_checks(&p, other, 100);
    expect_refused(
        p.ep, TC_E_TIMEOUT,
        (const char *const[]){"endless", "longer than compile_time_max", "1500 ms", NULL});
    send_checks(&p, p.ep, 10);
    send_checks(&p, other, 10);
    tc_ep_close(other);
    pair_close(&p);
}

TEST(code_that_ends_the_compiler_ends_nothing_else)
{
    pair p;
    pair_open(&p, (const char *const[]){"form", "bitcode", NULL});
    tc_ep *other = pair_connect(&p);
    assert_ok(tc_send(p.ep, pair_ifunc_file(&p, "foreign_intrinsic"), "x", 1));
    expect_refused(p.ep, TC_E_COMPILE,
                   (const char *const[]){"foreign_intrinsic", "the compiler ended",
                                         "Cannot select", NULL});
    assert_status(tc_send(p.ep, pair_ifunc_file(&p, "foreign_intrinsic"), "x", 1),
                  TC_E_REFUSED);
    send_checks(&p, other, 10);
    send_checks(&p, p.ep, 10);
    tc_ep_close(other);
    pair_close(&p);
}

/* A context may be left at any time, and does not wait for unwanted code. */
TEST(a_target_may_leave_while_it_compiles)
{
    pair p;
    pair_open(&p, (const char *const[]){"form", "bitcode", "compile_time_max", "1h", NULL});
    assert_ok(tc_send(p.ep, pair_ifunc_file(&p, "endless"), "x", 1));
    pair_close(&p);
}
