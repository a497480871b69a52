/* Calls to the functions `keeper` and `porter`, and the objects that they use. */
#ifndef KEEPER_CALLS_H
#define KEEPER_CALLS_H

#include "../shipped/keeper.h"
#include "../support/pair.h"
#include "../support/test.h"

#define MS 1000000ull
#define HOUR (3600 * 1000 * MS)
#define MANY 100u

/* One call. */
typedef struct visit {
    keeper_answer answer;
    tc_status status; /* of the call */
    bool is_over;
} visit;

extern keeper_hall hall;

void start(pair *p, tc_ep *ep, tc_ifunc *fn, keeper_order order, visit *v);
/* Waits until it is over. The call has succeeded. */
void await(pair *p, visit *v);
keeper_answer ask(pair *p, tc_ifunc *fn, keeper_order order);
/* Waits until so many functions of the target wait. */
void await_waiting(pair *p, size_t count);
keeper_hall hall_now(pair *p);

/* The target's program does so. */
void hold_lock(pair *p);
tc_status release_lock(pair *p);

/* Defines a test of a pair p without options, with an empty hall. */
#define HALL_TEST(name) TEST_BY(hall_run, name, pair *p)
void hall_run(void (*test)(pair *p));

#endif
