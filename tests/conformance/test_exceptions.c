/* Functions of C++ that throw: a caught exception has no effect outside, and one that would
 * leave a function ends its message alone. */
#include "../shipped/thrower.h"
#include "../support/pair.h"
#include "../support/test.h"

#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/library.h>

static char answer[64];
static size_t answer_size;
static tc_error error;

static tc_status ask(pair *p, tc_ifunc *fn, const char *question)
{
    answer_size = sizeof answer;
    error = (tc_error){TC_OK, ""};
    return tc_call(p->ep, fn, question, strlen(question), answer, &answer_size, PAIR_TIMEOUT_NS,
                   &error);
}

static void expect_answer(pair *p, tc_ifunc *fn, const char *question, const char *expected)
{
    if (ask(p, fn, question) != TC_OK)
        fail_msg("%s: %s", question, error.text);
    assert_int_equal(answer_size, strlen(expected));
    assert_memory_equal(answer, expected, answer_size);
}

static void expect_thrown(pair *p, tc_ifunc *fn, char question, const char *expected)
{
    assert_status(ask(p, fn, (const char[]){question, '\0'}), TC_E_THROWN);
    assert_string_equal(error.text, expected);
}

/* Counts of objects in frames that were left: each was destroyed. */
static void expect_alive(pair *p, tc_ifunc *fn, int expected)
{
    int alive = -1;
    assert_ok(ask(p, fn, "?"));
    assert_int_equal(answer_size, sizeof alive);
    memcpy(&alive, answer, sizeof alive);
    assert_int_equal(alive, expected);
}

PAIR_TEST(what_is_caught_inside_stays_inside)
{
    tc_ifunc *fn = pair_ifunc(p, "thrower");
    for (int i = 0; i < 20; i++)
        expect_answer(p, fn, "sorted letters", " deeelorrssttt");
}

PAIR_TEST(what_would_leave_is_the_answer)
{
    tc_ifunc *fn = pair_ifunc(p, "thrower");
    expect_thrown(p, fn, THROWS_INT, "the function threw int");
    expect_thrown(p, fn, THROWS_OWN, "the function threw complaint: it is too late");
    expect_thrown(p, fn, THROWS_AGAIN, "the function threw complaint: it is too late again");
    expect_thrown(p, fn, THROWS_UNNAMED, "the function threw (anonymous namespace)::unnamed");
    expect_thrown(p, fn, THROWS_NULL, "the function threw char const*");
    expect_thrown(p, fn, THROWS_AMBIGUOUS, "the function threw ambiguous");
    assert_status(ask(p, fn, "o"), TC_E_THROWN);
    assert_non_null(strstr(error.text, "the function threw std::out_of_range: basic_string"));
    expect_alive(p, fn, 1); /* the one that answers */
}

PAIR_TEST(messages_that_are_no_calls_go_on)
{
    tc_ifunc *fn = pair_ifunc(p, "thrower");
    tc_ifunc *check = pair_ifunc(p, "check");
    for (uint64_t n = 0; n < 100; n++) {
        assert_ok(pair_send(p->ep, fn, "c", 1));
        pair_send_check(p->ep, check, n, 10);
    }
    pair_flush(p->ep);
    assert_int_equal(p->target_state.wrong, 0);
    assert_int_equal(p->target_state.next, 100);
    expect_answer(p, fn, "a", "answered");
    expect_alive(p, fn, 1);
}

PAIR_TEST(a_payload_that_throws_is_not_sent)
{
    tc_ifunc *fn = pair_ifunc(p, "picky");
    expect_answer(p, fn, "all is well", "all is well");
    assert_status(ask(p, fn, "p"), TC_E_PAYLOAD);
    assert_status(ask(p, fn, "z"), TC_E_PAYLOAD);
    assert_status(pair_send(p->ep, fn, "p", 1), TC_E_PAYLOAD);
    assert_status(pair_send(p->ep, fn, "z", 1), TC_E_PAYLOAD);
    expect_answer(p, fn, "and still", "and still");
}

/* Where no frame could catch it. */
PAIR_TEST(what_may_throw_is_not_injected)
{
    assert_status(tc_send_injected(p->ep, pair_ifunc(p, "thrower"), "i", 1), TC_E_UNSUPPORTED);
    assert_status(tc_send_error(p->source, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "thrower: it may throw or catch exceptions"));
}

static tc_status push(pair *p, const char *folder)
{
    tc_library *library;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s/sour.tca", getenv("TC_IFUNC_PATH"), folder);
    assert_ok(tc_library_open_code(p->source, &(tc_code){.path = path}, &library, &error));
    return tc_library_push(p->ep, library, PAIR_TIMEOUT_NS, &error);
}

PAIR_TEST(a_library_throws_into_its_users)
{
    assert_status(push(p, "sour1"), TC_E_REFUSED);
    assert_non_null(strstr(error.text, "sour_init"));
    assert_ok(push(p, "sour0"));
    tc_ifunc *fn = pair_ifunc(p, "taster");
    assert_ok(ask(p, fn, "7"));
    expect_answer(p, fn, "z", "too sour");
}
