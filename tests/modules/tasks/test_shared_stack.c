/* Leaving a stack and going on there. */
#include "../../support/broken_invariant.h"
#include "../../support/test.h"
#include "modules/tasks/shared_stack.h"

#include <fenv.h>
#include <math.h>

enum { MANY = 50, ROUNDS = 20 };

static tci_shared_stack stack;

typedef struct runner {
    tci_stack_mark first, mark; /* of a body that has not left, and of one that has */
    unsigned left;              /* how often it still leaves */
    unsigned number;
    uint8_t *bytes;
    bool wrong;
} runner;

/* Its own variables, registers among them, are as before after each leaving. */
static void body(void *argument)
{
    runner *r = argument;
    const unsigned number = r->number;
    volatile unsigned words[64];
    double exact = number;
    for (unsigned i = 0; i < 64; i++)
        words[i] = number * 64 + i;
    while (r->left > 0) {
        r->left--;
        r->mark.fiber = r->first.fiber;
        tci_shared_stack_leave(&stack, &r->mark);
        exact += 0.5;
        for (unsigned i = 0; i < 64; i++)
            r->wrong |= words[i] != number * 64 + i;
        r->wrong |= r->number != number;
    }
    r->wrong |= exact != number + ROUNDS / 2;
}

static void put_aside(runner *r)
{
    const size_t used = tci_shared_stack_used(&stack, &r->mark);
    free(r->bytes);
    r->bytes = malloc(used);
    assert_non_null(r->bytes);
    tci_shared_stack_save(&stack, &r->mark, r->bytes);
}

static bool go_on(runner *r)
{
    tci_shared_stack_restore(&stack, &r->mark, r->bytes);
    if (!tci_shared_stack_resume(&stack, &r->mark))
        return false;
    put_aside(r);
    return true;
}

static void open_stack(void)
{
    tc_error error = {0};
    if (tci_shared_stack_open(&stack, &error) != TC_OK)
        fail_msg("%s", error.text);
}

TEST(many_use_one_stack_in_turns)
{
    static runner runners[MANY];
    unsigned ended = 0;
    open_stack();
    for (unsigned i = 0; i < MANY; i++) {
        runners[i] = (runner){.number = i, .left = ROUNDS};
        uint8_t *top = tci_shared_stack_top(&stack) - (size_t)16 * i;
        assert_true(tci_shared_stack_run(&stack, top, body, &runners[i], &runners[i].first));
        put_aside(&runners[i]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < MANY; i++)
            ended += !go_on(&runners[(i * 7 + round) % MANY]);
    }
    assert_int_equal(ended, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        assert_false(runners[i].wrong);
        free(runners[i].bytes);
    }
    tci_shared_stack_close(&stack);
}

static void return_at_once(void *argument)
{
    *(const void **)argument = __builtin_frame_address(0);
}

TEST(a_body_that_returns_was_on_the_stack)
{
    const void *frame = NULL;
    tci_stack_mark mark;
    open_stack();
    assert_false(tci_shared_stack_run(&stack, tci_shared_stack_top(&stack), return_at_once,
                                      &frame, &mark));
    assert_true(tci_shared_stack_has(&stack, frame));
    assert_false(tci_shared_stack_has(&stack, &frame));
    assert_true(tci_shared_stack_guards(&stack, stack.memory - 1));
    assert_true(tci_shared_stack_guards(&stack, stack.memory - TCI_SHARED_STACK_GUARD));
    assert_false(tci_shared_stack_guards(&stack, stack.memory - TCI_SHARED_STACK_GUARD - 1));
    assert_false(tci_shared_stack_guards(&stack, stack.memory));
    tci_shared_stack_close(&stack);
    assert_false(tci_shared_stack_has(&stack, frame));
}

static void round_up(void *argument)
{
    runner *r = argument;
    (void)fesetround(FE_UPWARD);
    r->mark.fiber = r->first.fiber;
    tci_shared_stack_leave(&stack, &r->mark);
    r->wrong = fegetround() != FE_UPWARD;
    (void)fesetround(FE_TONEAREST);
}

/* The code that began a function has its rounding back while the function is away. */
TEST(rounding_is_the_functions_own)
{
    runner r = {.number = 1};
    open_stack();
    assert_true(
        tci_shared_stack_run(&stack, tci_shared_stack_top(&stack), round_up, &r, &r.first));
    assert_int_equal(fegetround(), FE_TONEAREST);
    put_aside(&r);
    assert_false(go_on(&r));
    assert_false(r.wrong);
    assert_int_equal(fegetround(), FE_TONEAREST);
    free(r.bytes);
    tci_shared_stack_close(&stack);
}

TEST_BROKEN(shared_stack)
{
    const void *frame;
    tci_stack_mark mark;
    open_stack();
    (void)tci_shared_stack_run(&stack, stack.memory, return_at_once, &frame, &mark);
}
