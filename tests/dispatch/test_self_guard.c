/* Functions that are ended from inside: near calls, far runs them. */
#include "../support/fake_node.h"
#include "../modules/calls/heard.h"

#include <pthread.h>
#include <tc/entry.h>

static fake_pair pair;
static heard answer;
static int ended[2];
static unsigned reached;

static tc_ifunc *open_pair(const char *name, void (*main)(void *, size_t, void *))
{
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    memset(&answer, 0, sizeof answer);
    reached = 0;
    return fake_node_function(pair.near, name, main);
}

static void call(tc_ifunc *fn)
{
    tc_call_params params = heard_params(&answer);
    memset(&answer, 0, sizeof answer);
    assert_ok(tc_call_start(pair.ep, fn, NULL, 0, &params, NULL, NULL));
    fake_pair_settle(&pair);
}

static void returns(void *argument)
{
    *(unsigned *)argument += 1;
}

static void gives_up(void *argument)
{
    *(unsigned *)argument += 1;
    tc_self_fail(TC_E_THROWN, "no third byte");
    tc_self_abandon();
    *(unsigned *)argument += 100;
}

/* Some calls deep, with things in registers. */
static __attribute__((noinline)) unsigned long deep(unsigned depth, unsigned long a,
                                                    unsigned long b, void *argument)
{
    if (depth == 0) {
        gives_up(argument);
        return 0;
    }
    unsigned long sum = deep(depth - 1, a * 3 + b, a ^ b, argument);
    return sum + a - b;
}

static void gives_up_deep(void *argument)
{
    reached += (unsigned)deep(20, 1, 2, argument);
}

static void guarded_main(void *payload, size_t size, void *target_args)
{
    volatile unsigned long before = 0x1234567;
    unsigned count = 0;
    (void)payload, (void)size, (void)target_args;
    ended[0] = tc_self_guard(returns, &count);
    ended[1] = tc_self_guard(gives_up_deep, &count);
    assert_int_equal(before, 0x1234567);
    reached += count;
}

TEST(a_message_ends_and_the_next_one_runs)
{
    tc_ifunc *fn = open_pair("guarded", guarded_main);
    for (unsigned i = 1; i <= 3; i++) {
        call(fn);
        heard_expect(&answer, TC_E_THROWN, "no third byte");
        assert_int_equal(ended[0], 0);
        assert_int_equal(ended[1], 1);
        assert_int_equal(reached, 2 * i);
    }
    fake_pair_close(&pair);
}

static void inner(void *argument)
{
    ended[1] = tc_self_guard(gives_up, argument);
    tc_self_abandon();
    *(unsigned *)argument += 100;
}

static void nested_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    ended[0] = tc_self_guard(inner, &reached);
    tc_self_abandon(); /* there is no guard any more */
    reached += 10;
}

TEST(guards_end_from_the_inside_out)
{
    tc_ifunc *fn = open_pair("nested", nested_main);
    call(fn);
    assert_int_equal(ended[0], 1);
    assert_int_equal(ended[1], 1);
    assert_int_equal(reached, 11);
    fake_pair_close(&pair);
}

static void forwards(void *argument)
{
    const tc_status status = tc_forward(0, "x", 1);
    assert_ok(status);
    gives_up(argument);
}

static void forwarding_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)target_args;
    if (size == 1) {
        assert_ok(tc_reply("there", 5));
        return;
    }
    ended[0] = tc_self_guard(forwards, &reached);
}

/* The call has gone along, so the failure is not its answer. */
TEST(what_was_sent_on_goes_on)
{
    tc_ifunc *fn = open_pair("forwarding", forwarding_main);
    call(fn);
    assert_int_equal(ended[0], 1);
    assert_int_equal(reached, 1);
    heard_expect(&answer, TC_OK, "");
    assert_memory_equal(answer.result, "there", 5);
    fake_pair_close(&pair);
}

static void *in_another_thread(void *argument)
{
    tc_self_abandon();
    *(unsigned *)argument += 1;
    return NULL;
}

static void starts_a_thread(void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, in_another_thread, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    *(unsigned *)argument += 1;
}

/* A message runs inside a guard that is not its own: the outer one's frames are not to be
 * left. */
static void another_message(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    tc_self_abandon();
    reached++;
}

static void runs_another_context(void *argument)
{
    (void)argument;
    tc_ifunc *fn = fake_node_function(pair.near, "another", another_message);
    call(fn);
    reached++;
}

TEST(only_the_own_message_and_thread_are_left)
{
    unsigned count = 0;
    tc_self_abandon(); /* outside of all */
    assert_int_equal(tc_self_guard(starts_a_thread, &count), 0);
    assert_int_equal(count, 2);
    (void)open_pair("guarded", guarded_main);
    assert_int_equal(tc_self_guard(runs_another_context, NULL), 0);
    assert_int_equal(reached, 2);
    fake_pair_close(&pair);
}
