/* A call that waits yields while that costs little, and sleeps at once for some time after a
 * yield that has let another program keep the processor. Here sched_yield is this program's
 * own. */
#include "../support/test.h"
#include "../support/test_context.h"
#include "base/clock.h"
#include "context/context_object.h"

#include <sched.h>
#include <time.h>

#define LONG_YIELD_NS 3000000
#define WAIT_NS 200000u
#define WAITS_MAX 2000u
#define WAITS_WANTED 5u

static bool yields_are_long;

int sched_yield(void)
{
    const struct timespec pause = {.tv_nsec = LONG_YIELD_NS};
    return yields_are_long ? nanosleep(&pause, NULL) : 0;
}

static tc_context *make_context(void)
{
    tc_context *ctx = NULL;
    yields_are_long = false;
    assert_ok(tc_context_create(NULL, &ctx, NULL));
    return ctx;
}

static void wait_in_vain(tc_context *ctx)
{
    assert_status(tc_wait(ctx, WAIT_NS), TC_E_TIMEOUT);
}

TEST(short_yields_come_before_a_sleep)
{
    tc_context *ctx = make_context();
    for (unsigned i = 0; i < WAITS_MAX && ctx->core.counters[TCI_YIELDS] < 2; i++)
        wait_in_vain(ctx);
    assert_true(ctx->core.counters[TCI_YIELDS] >= 2);
    tc_context_destroy(ctx);
}

TEST(a_long_yield_is_followed_by_sleeps_alone)
{
    tc_context *ctx = make_context();
    unsigned found = 0;
    yields_are_long = true;
    for (unsigned i = 0; i < WAITS_MAX && found < WAITS_WANTED; i++) {
        const uint64_t yields = ctx->core.counters[TCI_YIELDS];
        const uint64_t sleeps = ctx->core.counters[TCI_SLEEPS];
        const uint64_t rest_end_ns = ctx->yields_again_ns;
        wait_in_vain(ctx);
        if (tci_clock_ns() >= rest_end_ns)
            continue; /* the rest had not begun, or ended meanwhile */
        assert_int_equal(ctx->core.counters[TCI_YIELDS], yields);
        assert_true(ctx->core.counters[TCI_SLEEPS] > sleeps);
        found++;
    }
    assert_int_equal(found, WAITS_WANTED);
    tc_context_destroy(ctx);
}

/* Each long yield that follows the last one soon makes the rest longer, up to a bound. */
TEST(the_rest_grows_while_yields_stay_long)
{
    tc_context *ctx = make_context();
    yields_are_long = true;
    while (ctx->core.counters[TCI_YIELDS] < 2)
        wait_in_vain(ctx);
    const unsigned second = ctx->yield_rest;
    assert_true(second > 1);
    while (ctx->core.counters[TCI_YIELDS] < 3)
        wait_in_vain(ctx);
    assert_true(ctx->yield_rest > second);
    ctx->yield_rest = 1u << 6;
    ctx->yields_again_ns = 0;
    while (ctx->core.counters[TCI_YIELDS] < 4)
        wait_in_vain(ctx);
    assert_int_equal(ctx->yield_rest, 1u << 6);
    tc_context_destroy(ctx);
}
