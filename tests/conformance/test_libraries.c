/* Libraries that travel: pushed, shared, replaced, withdrawn. */
#include "../shipped/shelf.h"
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <tc/call.h>
#include <tc/library.h>

static tc_library *open_version(pair *p, int version)
{
    char path[1100];
    tc_library *library;
    tc_error error;
    (void)snprintf(path, sizeof path, "%s/shelf%d/shelf.tca", getenv("TC_IFUNC_PATH"), version);
    if (tc_library_open_file(p->source, path, &library, &error) != TC_OK)
        fail_msg("%s", error.text);
    return library;
}

static void push(pair *p, tc_library *library)
{
    tc_error error;
    if (tc_library_push(p->ep, library, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%s", error.text);
}

static void push_version(pair *p, int version)
{
    tc_library *library = open_version(p, version);
    push(p, library);
    tc_library_close(library);
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
    push_version(&p, 1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_share_a_library_s_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
