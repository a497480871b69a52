/* Constructors with all caches of code: compiled objects on disk, tiers, and too little memory
 * for all code. */
#include "../support/pair.h"
#include "../support/test.h"

#include <stdlib.h>
#include <tc/call.h>
#include <tc/load.h>
#include <unistd.h>

enum { CROWD = 8 };

static tc_error error;

/* Notes of functions. */
static void expect_steps(const char *expected)
{
    const char *steps = getenv("LIVELY");
    assert_string_equal(steps != NULL ? steps : "", expected);
}

static int setup(void **state)
{
    return setenv("LIVELY", "", 1) + unsetenv("LIVELY_THROWS");
}

static void expect_answer(pair *p, tc_ifunc *fn, char question, int expected)
{
    int answer = -1;
    size_t size = sizeof answer;
    error = (tc_error){TC_OK, ""};
    if (tc_call(p->ep, fn, &question, 1, &answer, &size, PAIR_TIMEOUT_NS, &error) != TC_OK)
        fail_msg("%c: %s", question, error.text);
    assert_int_equal(answer, expected);
}

static void note_path(void *user, const tc_load_report *report)
{
    atomic_store((atomic_int *)user, (int)report->path);
}

static void lives_by(const char *name, const char *const *options, tc_load_path expected)
{
    pair p;
    atomic_int path = -1;
    pair_open(&p, options);
    pair_pause(&p);
    tc_context_set_load_callback(p.target, note_path, &path);
    pair_resume(&p);
    tc_ifunc *fn = pair_ifunc(&p, name);
    expect_answer(&p, fn, 'a', 1);
    expect_answer(&p, fn, 'a', 2);
    pair_close(&p);
    assert_int_equal(atomic_load(&path), expected);
}

TEST_WITH(stored_code_is_constructed_like_fresh, setup, NULL)
{
    char folder[] = "/tmp/tc-kept-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    const char *const options[] = {"form", "bitcode", "cache_dir", folder, NULL};
    lives_by("kindled", options, TC_LOAD_JIT);
    expect_steps("Kk");
    lives_by("kindled", options, TC_LOAD_CACHED);
    expect_steps("KkKk");
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

TEST_WITH(each_tier_constructs, setup, NULL)
{
    static const char *const tiers[] = {"fast", "best", "auto"};
    for (size_t i = 0; i < sizeof tiers / sizeof tiers[0]; i++) {
        (void)setup(state);
        lives_by("kindled", (const char *const[]){"form", "bitcode", "tier", tiers[i], NULL},
                 TC_LOAD_JIT);
        expect_steps("Kk");
    }
}

/* Variables that were constructed are nothing that could be made again. */
TEST_WITH(what_was_constructed_is_never_evicted, setup, NULL)
{
    pair p;
    pair_open(&p, (const char *const[]){"form", "bitcode", "code_memory_max", "24K", NULL});
    tc_ifunc *kindled = pair_ifunc(&p, "kindled");
    expect_answer(&p, kindled, 'a', 1);
    for (int turn = 0; turn < 2 * CROWD; turn++) {
        tc_ifunc *crowd = pair_crowd_member(&p, turn % CROWD + 1);
        if (tc_call(p.ep, crowd, NULL, 0, NULL, NULL, PAIR_TIMEOUT_NS, &error) != TC_OK)
            fail_msg("%s", error.text);
    }
    assert_true(pair_counter(&p, "code_evicted") >= CROWD);
    expect_steps("K");
    expect_answer(&p, kindled, 'a', 2);
    pair_close(&p);
    expect_steps("Kk");
}
