/* Plain, threaded and atomic methods of one object, and its move and destruction beside those
 * that wait; constructors and methods that call others. Rank 0 drives. */
#include "thing_job.h"

#include <string.h>

enum { CALLS = 200 };

typedef struct started {
    uint32_t ended;
    uint32_t of_status[1 - TC_STATUS_LAST];
} started;

static void done(void *user, const tc_call_outcome *outcome)
{
    started *s = user;
    s->ended++;
    s->of_status[-outcome->status]++;
}

static void start(thing_job *job, thing_function function, tc_gptr object, uint64_t amount,
                  started *s)
{
    const thing_amount message = {object, amount};
    static uint64_t value; /* of any of them; nothing reads it */
    const tc_call_params params = {.result = &value,
                                   .result_capacity = sizeof value,
                                   .timeout_ns = THING_TIMEOUT_NS,
                                   .done = done,
                                   .user = s};
    tc_error error;
    tc_status status;
    while ((status = tc_object_call_start(job->objects, job->functions[function], &message,
                                          sizeof message, &params, NULL, &error)) == TC_E_AGAIN)
        (void)tc_progress(job->ctx);
    REQUIRE_OK(status, &error);
}

static void await(thing_job *job)
{
    tc_error error = {TC_OK, "calls that do not end"};
    REQUIRE_OK(tc_calls_wait(job->ctx, THING_TIMEOUT_NS), &error);
}

/* No update of an atomic method is lost to others, also when it moves in between. */
static void check_atomic(thing_job *job, uint32_t home)
{
    started s = {0};
    const tc_gptr object = thing_create(job, home, 0, 0);
    for (uint32_t i = 0; i < CALLS; i++) {
        start(job, i % 3 == 0 ? THING_ADD : THING_BUMP, object, 1, &s);
        if (i % 50 == 49)
            thing_move(job, object, i / 50 % job->ranks);
    }
    await(job);
    REQUIRE(s.of_status[0] == CALLS);
    const thing_answer answer = thing_look(job, object);
    REQUIRE(answer.value == CALLS);
    REQUIRE(answer.inside_max == 1);
    thing_call(job, THING_LEAVE, object, UINT32_MAX);
}

static void check_threaded(thing_job *job, uint32_t home)
{
    started s = {0};
    const tc_gptr object = thing_create(job, home, 0, 0);
    for (uint32_t i = 0; i < 20; i++)
        start(job, THING_LINGER, object, TC_MILLISECONDS(20), &s);
    /* A plain one does not wait for them; an atomic one does, and a move, too. */
    thing_call(job, THING_ADD, object, 1);
    thing_call(job, THING_BUMP, object, 1);
    REQUIRE(s.ended == 20);
    for (uint32_t i = 0; i < 3; i++)
        start(job, THING_LINGER, object, TC_MILLISECONDS(20), &s);
    thing_move(job, object, (home + 1) % job->ranks);
    REQUIRE(s.of_status[0] == 23);
    const thing_answer answer = thing_look(job, object);
    REQUIRE(answer.inside_max > 1);
    REQUIRE(answer.value == 2);
    REQUIRE(answer.rank == (home + 1) % job->ranks);
}

/* Destruction waits for the method inside; those behind it find no object. */
static void check_destruction(thing_job *job, uint32_t home)
{
    started s = {0}, behind = {0};
    tc_status status;
    tc_error error;
    const tc_gptr object = thing_create(job, home, 0, 0);
    start(job, THING_LINGER, object, TC_MILLISECONDS(50), &s);
    start(job, THING_LEAVE, object, UINT32_MAX, &s);
    for (uint32_t i = 0; i < 10; i++)
        start(job, i % 2 == 0 ? THING_ADD : THING_BUMP, object, 1, &behind);
    /* One that comes behind the request of the rank to itself waits, and does not find the
     * object. */
    while ((status = thing_try(job, THING_ADD, object, 1, &error)) == TC_OK)
        continue;
    REQUIRE(status == TC_E_NOT_FOUND);
    await(job);
    REQUIRE(s.of_status[0] == 2);
    REQUIRE(behind.of_status[0] + behind.of_status[-TC_E_NOT_FOUND] == 10);
    REQUIRE(thing_try(job, THING_ADD, object, 1, &error) == TC_E_NOT_FOUND);
}

static void check_destructor(thing_job *job, uint32_t home)
{
    tc_error error;
    tc_ifunc *drop = job->functions[THING_DROP];
    const uint32_t other = (home + 1) % job->ranks;
    const uint64_t before = thing_counters(job, other).destroyed;
    const tc_gptr object = thing_create(job, home, 0, 0);
    thing_move(job, object, other);
    thing_call(job, THING_ADD, object, 13);
    REQUIRE(tc_object_destroy(job->objects, object, drop, THING_TIMEOUT_NS, &error) ==
            TC_E_INVALID);
    REQUIRE(strcmp(error.text, "a thing of 13 stays") == 0);
    REQUIRE(thing_call(job, THING_ADD, object, 1) == 14);
    REQUIRE_OK(tc_object_destroy(job->objects, object, drop, THING_TIMEOUT_NS, &error), &error);
    REQUIRE(thing_counters(job, other).destroyed == before + 1);
    REQUIRE(thing_try(job, THING_ADD, object, 1, &error) == TC_E_NOT_FOUND);
}

/* A method at one rank calls an object that has moved from another. */
static void check_calls_of_methods(thing_job *job)
{
    struct {
        tc_gptr object;
        thing_amount other;
    } order;
    uint64_t sum = 0;
    size_t size = sizeof sum;
    tc_error error;
    order.object = thing_create(job, job->ranks - 1, 0, 0);
    order.other.object = thing_create(job, 0, 0, 0);
    order.other.amount = 5;
    thing_move(job, order.other.object, job->ranks - 1);
    thing_call(job, THING_ADD, order.other.object, 2);
    REQUIRE_OK(tc_object_call(job->objects, job->functions[THING_TELL], &order, sizeof order,
                              &sum, &size, THING_TIMEOUT_NS, &error),
               &error);
    REQUIRE(sum == 7);
    REQUIRE(thing_look(job, order.object).value == 7);
}

static void check_exceptions(thing_job *job, uint32_t home)
{
    tc_error error;
    tc_gptr object;
    tc_ifunc *constructor = job->functions[THING_NEW_THROW];
    REQUIRE(tc_object_create(job->objects, home, constructor, "x", 1, THING_TIMEOUT_NS, &object,
                             &error) == TC_E_THROWN);
    REQUIRE_OK(tc_object_create(job->objects, home, constructor, "", 0, THING_TIMEOUT_NS,
                                &object, &error),
               &error);
    REQUIRE(thing_call(job, THING_THROW, object, 4) == 7);
    REQUIRE(thing_try(job, THING_THROW, object, 7, &error) == TC_E_THROWN);
    REQUIRE(thing_call(job, THING_BUMP, object, 4) == 11);
    REQUIRE_OK(tc_object_destroy(job->objects, object, NULL, THING_TIMEOUT_NS, &error), &error);
}

static void check_own_moves(thing_job *job, uint32_t home)
{
    const tc_gptr object = thing_create(job, home, 100000, 5);
    for (uint32_t i = 1; i < 10; i++) {
        thing_call(job, THING_LEAVE, object, (home + i) % job->ranks);
        thing_await(job, object, (home + i) % job->ranks);
    }
    REQUIRE(thing_look(job, object).is_whole == 1);
}

void thing_kinds(thing_job *job)
{
    for (uint32_t home = 0; job->rank == 0 && home < job->ranks; home++) {
        check_atomic(job, home);
        check_threaded(job, home);
        check_destruction(job, home);
        check_destructor(job, home);
        check_own_moves(job, home);
        check_exceptions(job, home);
    }
    if (job->rank == 0)
        check_calls_of_methods(job);
    thing_job_meet(job);
}
