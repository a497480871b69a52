/* Code that asks for its processor gets the target's, and functions that are chosen for it are,
 * in whatever form the code came. */
#include "../shipped/choosy.h"
#include "../support/pair.h"
#include "../support/test.h"

#include <tc/call.h>
#include <tc/load.h>
#include <time.h>

static int ask(pair *p, tc_ifunc *fn, char question)
{
    tc_error error = {TC_OK, ""};
    int answer = -1;
    size_t size = sizeof answer;
    if (tc_call(p->ep, fn, &question, 1, &answer, &size, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%c: %s", question, error.text);
    return answer;
}

static int expected_choice(void)
{
#if defined(__x86_64__)
    return choosy_features() != 0 ? CHOOSY_BETTER : CHOOSY_PLAIN;
#else
    return CHOOSY_BETTER;
#endif
}

static void expect_all(pair *p, tc_ifunc *fn)
{
    assert_int_equal(ask(p, fn, 'f'), choosy_features());
    assert_int_equal(ask(p, fn, 'k'), 5 + expected_choice()); /* a constructor asked first */
    assert_int_equal(ask(p, fn, 'c'), 5 + expected_choice());
    assert_int_equal(ask(p, fn, 't'), 5 + expected_choice());
    assert_int_equal(ask(p, fn, 'w'), 1111);
    assert_int_equal(ask(p, fn, 'm'), 66);
    assert_int_equal(ask(p, fn, 's'), 328350);
}

static void asks_and_chooses(const char *name)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, name);
    assert_int_equal(ask(&p, fn, 'r'), 1); /* for the constructor */
    expect_all(&p, fn);
    assert_int_equal(ask(&p, fn, 'r'), 3); /* each resolver once */
    expect_all(&p, fn);
    assert_int_equal(ask(&p, fn, 'r'), 3);
    assert_int_equal(ask(&p, fn, 'e'), 2); /* one address, wherever it is asked for */
    pair_close(&p);
}

TEST(the_processor_is_the_targets)
{
    asks_and_chooses("choosy");
}

TEST(code_that_was_not_optimised_is_no_different)
{
    asks_and_chooses("choosy0");
}

static void note_better(void *user, const tc_load_report *report)
{
    atomic_fetch_add((atomic_uint *)user, report->better ? 1 : 0);
}

/* Else it would go on in the functions of the code before, which was compiled in haste. */
TEST(better_code_chooses_for_itself)
{
    pair p;
    atomic_uint better = 0;
    const time_t end = time(NULL) + 60;
    const struct timespec pause = {.tv_nsec = 1000000}; /* for the compiler, of low priority */
    pair_open(
        &p, (const char *const[]){"form", "bitcode", "tier", "auto", "tier_calls", "50", NULL});
    pair_pause(&p);
    tc_context_set_load_callback(p.target, note_better, &better);
    pair_resume(&p);
    tc_ifunc *fn = pair_ifunc(&p, "choosy");
    while (atomic_load(&better) == 0 && time(NULL) < end) {
        assert_int_equal(ask(&p, fn, 'c'), 5 + expected_choice());
        (void)nanosleep(&pause, NULL);
    }
    assert_int_equal(atomic_load(&better), 1);
    assert_int_equal(ask(&p, fn, 'c'), 5 + expected_choice());
    assert_int_equal(ask(&p, fn, 'r'), 2); /* its counter is shared */
    expect_all(&p, fn);
    pair_close(&p);
}
