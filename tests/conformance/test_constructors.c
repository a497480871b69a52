/* Code that begins and ends: constructors run once before its first call, and their objects go
 * with the code, for every form of code. */
#include "../support/pair.h"
#include "../support/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <tc/advanced.h>
#include <tc/call.h>
#include <tc/library.h>
#include <tc/load.h>
#include <time.h>
#include <unistd.h>

static tc_error error;

/* Notes of functions. */
static void expect_steps(const char *expected)
{
    const char *steps = getenv("LIVELY");
    assert_string_equal(steps != NULL ? steps : "", expected);
}

/* While the target serves: it pauses. */
static void expect_steps_so_far(pair *p, const char *expected)
{
    pair_pause(p);
    expect_steps(expected);
    pair_resume(p);
}

static void forget_steps(void)
{
    assert_int_equal(setenv("LIVELY", "", 1), 0);
}

static int setup(void **state)
{
    forget_steps();
    return unsetenv("LIVELY_THROWS");
}

static tc_status ask(pair *p, tc_ifunc *fn, char question, int *answer_out)
{
    size_t size = sizeof *answer_out;
    error = (tc_error){TC_OK, ""};
    return tc_call(p->ep, fn, &question, 1, answer_out, &size, PAIR_TIMEOUT_NS, &error);
}

static void expect_answer(pair *p, tc_ifunc *fn, char question, int expected)
{
    int answer = -1;
    if (ask(p, fn, question, &answer) != TC_OK)
        fail_msg("%c: %s", question, error.text);
    assert_int_equal(answer, expected);
}

static void lives_once(const char *name, const char *const *options)
{
    pair p;
    pair_open(&p, options);
    tc_ifunc *fn = pair_ifunc(&p, name);
    expect_answer(&p, fn, 'a', 1);
    expect_steps_so_far(&p, "EBA");
    expect_answer(&p, fn, 'a', 2);
    expect_answer(&p, fn, 'n', 4);
    expect_answer(&p, fn, 'o', 1);
    expect_answer(&p, fn, 'c', 41);
    expect_answer(&p, fn, 'c', 42);
    expect_answer(&p, fn, 'i', 1);
    expect_answer(&p, fn, 't', 1);
    expect_answer(&p, fn, 't', 2);
    expect_answer(&p, fn, 'x', 0);
    expect_answer(&p, fn, 'i', 2);
    expect_steps_so_far(&p, "EBAIT");
    pair_close(&p);
    expect_steps("EBAITxtiabe");
}

static void leave_without_destroying(int to)
{
    pair p;
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "lively");
    expect_answer(&p, fn, 'i', 1);
    assert_int_equal(dup2(to, STDOUT_FILENO), STDOUT_FILENO);
    exit(0);
}

/* Runs behind stop_all, which is registered later. */
static void tell_steps(void)
{
    const char *steps = getenv("LIVELY");
    (void)!write(STDOUT_FILENO, steps, strlen(steps));
}

/* First: the child has all constructions of its parent. */
TEST_WITH(a_process_that_exits_destructs, setup, NULL)
{
    char steps[64] = "";
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(60);
        (void)atexit(tell_steps);
        leave_without_destroying(ends[1]);
    }
    assert_int_equal(close(ends[1]), 0);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], steps + used, sizeof steps - 1 - used)) > 0;)
        used += (size_t)n;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_string_equal(steps, "EBAIiabe");
    (void)close(ends[0]);
}

TEST_WITH(constructors_run_once_and_destructors_at_the_end, setup, NULL)
{
    lives_once("lively", NULL);
    forget_steps();
    lives_once("lively", NULL); /* the same code in another context */
}

TEST_WITH(code_that_was_not_optimised_is_no_different, setup, NULL)
{
    lives_once("lively0", NULL);
}

static void note_better(void *user, const tc_load_report *report)
{
    atomic_fetch_add((atomic_uint *)user, report->better ? 1 : 0);
}

TEST_WITH(better_code_goes_on_with_what_was_constructed, setup, NULL)
{
    pair p;
    atomic_uint better = 0;
    const time_t end = time(NULL) + 60;
    int calls = 0;
    pair_open(
        &p, (const char *const[]){"form", "bitcode", "tier", "auto", "tier_calls", "50", NULL});
    pair_pause(&p);
    tc_context_set_load_callback(p.target, note_better, &better);
    pair_resume(&p);
    tc_ifunc *fn = pair_ifunc(&p, "kindled");
    while (atomic_load(&better) == 0 && time(NULL) < end)
        expect_answer(&p, fn, 'a', ++calls);
    assert_int_equal(atomic_load(&better), 1);
    expect_answer(&p, fn, 'a', ++calls);
    expect_steps_so_far(&p, "K");
    pair_close(&p);
    expect_steps("Kk");
}

TEST_WITH(a_constructor_that_throws_is_the_reason, setup, NULL)
{
    pair p;
    int answer;
    assert_int_equal(setenv("LIVELY_THROWS", "1", 1), 0);
    pair_open(&p, NULL);
    tc_ifunc *fn = pair_ifunc(&p, "lively");
    assert_int_not_equal(ask(&p, fn, 'a', &answer), TC_OK);
    assert_non_null(strstr(
        error.text, "in a constructor, the function threw std::runtime_error: not today"));
    expect_steps_so_far(&p, "EBAb"); /* complete objects are destroyed */
    pair_close(&p);
    expect_steps("EBAb");
}

TEST_WITH(injected_code_has_none, setup, NULL)
{
    pair p;
    pair_open(&p, NULL);
    assert_status(tc_send_injected(p.ep, pair_ifunc(&p, "kindled"), "i", 1), TC_E_UNSUPPORTED);
    assert_status(tc_send_error(p.source, &error), TC_E_UNSUPPORTED);
    assert_non_null(strstr(error.text, "constructors or destructors"));
    pair_close(&p);
}

/* --- libraries ---------------------------------------------------------------------------- */

static tc_library *push(pair *p, int version)
{
    tc_library *library;
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/hearth%d/hearth.tca", getenv("TC_IFUNC_PATH"),
                   version);
    assert_ok(tc_library_open_code(p->source, &(tc_code){.path = path}, &library, &error));
    if (tc_library_push(p->ep, library, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%s", error.text);
    return library;
}

static void expect_warmth(pair *p, tc_ifunc *fn, int before, int now, int calls)
{
    int answer[3] = {0};
    size_t size = sizeof answer;
    if (tc_call(p->ep, fn, NULL, 0, answer, &size, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%s", error.text);
    assert_int_equal(answer[0], before);
    assert_int_equal(answer[1], now);
    assert_int_equal(answer[2], calls);
}

TEST_WITH(a_library_is_whole_before_its_init_and_after_its_fini, setup, NULL)
{
    pair p;
    pair_open(&p, NULL);
    (void)push(&p, 1);
    expect_steps_so_far(&p, "1C1I");
    tc_ifunc *fn = pair_ifunc(&p, "warmed");
    expect_warmth(&p, fn, 21, 21, 101);
    (void)push(&p, 2);
    expect_steps_so_far(&p, "1C1I2C2I1F1X1D");
    expect_warmth(&p, fn, 21, 22, 102); /* the value that its constructor has read stays */
    pair_close(&p);
    expect_steps("1C1I2C2I1F1X1D2F2X2D");
}

TEST_WITH(what_comes_back_is_constructed_again, setup, NULL)
{
    pair p;
    int answer;
    pair_open(&p, NULL);
    tc_library *library = push(&p, 1);
    tc_ifunc *fn = pair_ifunc(&p, "warmed");
    expect_warmth(&p, fn, 21, 21, 101);
    assert_ok(tc_library_withdraw(p.ep, library, PAIR_TIMEOUT_NS, &error));
    assert_status(ask(&p, fn, 'a', &answer), TC_E_ABSENT);
    expect_steps_so_far(&p, "1C1I1F1X1D");
    (void)push(&p, 2);
    expect_warmth(&p, fn, 22, 22, 101);
    pair_close(&p);
}

/* --- the end of the process --------------------------------------------------------------- */
