/* Rank 2 of four is killed, while calls are under way, with objects at it, on their way to it,
 * of its home elsewhere, and elsewhere after they were at it. Rank 0 drives. */
#include "thing_job.h"

#include <signal.h>
#include <string.h>

enum { VICTIM = 2, UNDER_WAY = 60 };

typedef struct ended_calls {
    uint32_t ended, succeeded, without_text;
} ended_calls;

static void done(void *user, const tc_call_outcome *outcome)
{
    ended_calls *calls = user;
    calls->ended++;
    calls->succeeded += outcome->status == TC_OK;
    calls->without_text +=
        outcome->status != TC_OK && (outcome->text == NULL || outcome->text[0] == '\0');
}

static void start(thing_job *job, thing_function function, tc_gptr object, uint64_t amount,
                  ended_calls *calls)
{
    const thing_amount message = {object, amount};
    static uint64_t value; /* of any of them; nothing reads it */
    const tc_call_params params = {.result = &value,
                                   .result_capacity = sizeof value,
                                   .timeout_ns = TC_SECONDS(20),
                                   .done = done,
                                   .user = calls};
    tc_error error;
    tc_status status;
    while ((status = tc_object_call_start(job->objects, job->functions[function], &message,
                                          sizeof message, &params, NULL, &error)) == TC_E_AGAIN)
        (void)tc_progress(job->ctx);
    REQUIRE_OK(status, &error);
}

typedef struct doomed {
    tc_gptr at_victim;      /* home 1 */
    tc_gptr of_victim;      /* home and rank 2 */
    tc_gptr home_is_victim; /* home 2, at 1; rank 0 knows that */
    tc_gptr was_at_victim;  /* home 1, at 3; rank 0 believes it at 2 */
    tc_gptr elsewhere;      /* home 3 */
    tc_gptr large;          /* home 3, on its way from there to 2 */
    tc_gptr coming;         /* home 1, on its way from 2 to there */
} doomed;

static void prepare(thing_job *job, doomed *d)
{
    d->at_victim = thing_create(job, 1, 0, 0);
    thing_move(job, d->at_victim, VICTIM);
    d->of_victim = thing_create(job, VICTIM, 0, 0);
    d->home_is_victim = thing_create(job, VICTIM, 0, 0);
    thing_move(job, d->home_is_victim, 1);
    d->was_at_victim = thing_create(job, 1, 0, 0);
    thing_move(job, d->was_at_victim, VICTIM);
    d->elsewhere = thing_create(job, 3, 0, 0);
    d->large = thing_create(job, 3, 8u << 20, 7);
    d->coming = thing_create(job, 1, 48u << 20, 7);
    thing_move(job, d->coming, VICTIM);
    /* By these, rank 0 gets to know where they are. */
    for (int i = 0; i < 2; i++) {
        REQUIRE(thing_look(job, d->was_at_victim).rank == VICTIM);
        REQUIRE(thing_look(job, d->home_is_victim).rank == 1);
        REQUIRE(thing_look(job, d->at_victim).rank == VICTIM);
    }
    /* Rank 0 does not see this one. */
    thing_call(job, THING_LEAVE, d->was_at_victim, 3);
    for (int i = 0; i < 10000 && thing_counters(job, 3).objects < 3; i++)
        (void)tc_wait(job->ctx, TC_MILLISECONDS(1));
    REQUIRE(thing_counters(job, 3).objects == 3);
}

/* An object at the victim, or that only the victim leads to. The first call may have been at
 * the victim; each ends. */
static void check_lost(thing_job *job, tc_gptr object)
{
    tc_error error;
    for (int i = 0; i < 2; i++) {
        tc_status status = thing_try(job, THING_ADD, object, 1, &error);
        REQUIRE(status == TC_E_PEER_LOST || status == TC_E_UNREACHABLE);
        REQUIRE(error.text[0] != '\0');
    }
}

static void check_after(thing_job *job, const doomed *d)
{
    tc_error error;
    check_lost(job, d->at_victim);
    check_lost(job, d->of_victim);
    REQUIRE(thing_call(job, THING_ADD, d->elsewhere, 1) == 1);
    /* The way by the fact is gone; the next call takes that by the home. */
    if (thing_try(job, THING_ADD, d->was_at_victim, 0, &error) != TC_OK)
        REQUIRE(error.text[0] != '\0');
    REQUIRE(thing_call(job, THING_ADD, d->was_at_victim, 4) == 4);
    REQUIRE(thing_look(job, d->was_at_victim).rank == 3);
    /* Rank 0 knows where it is; without that only its home leads to it. */
    REQUIRE(thing_call(job, THING_ADD, d->home_is_victim, 4) == 4);
    thing_move(job, d->home_is_victim, 3);
    REQUIRE(thing_call(job, THING_ADD, d->home_is_victim, 1) == 5);
    tc_object_forget(job->objects, &d->home_is_victim);
    check_lost(job, d->home_is_victim);
    /* New ones can be made, and moved, but not to there. */
    const tc_gptr fresh = thing_create(job, 1, 100, 9);
    tc_status status = tc_object_move(job->objects, fresh, VICTIM, THING_TIMEOUT_NS, &error);
    REQUIRE(status != TC_OK && error.text[0] != '\0');
    REQUIRE(thing_look(job, fresh).rank == 1);
    thing_move(job, fresh, 3);
    REQUIRE(thing_look(job, fresh).is_whole == 1);
}

/* An object that was moving: it is whole at its home, or was lost with the victim. */
static void check_moving(thing_job *job, tc_gptr large)
{
    thing_answer answer;
    size_t size = sizeof answer;
    tc_error error;
    tc_status status = tc_object_call(job->objects, job->functions[THING_LOOK], &large,
                                      sizeof large, &answer, &size, THING_TIMEOUT_NS, &error);
    if (status == TC_OK)
        REQUIRE(answer.is_whole == 1 && answer.rank == large.rank);
    else
        REQUIRE(error.text[0] != '\0');
    printf("the object of rank %u that was moving: %s\n", large.rank,
           status == TC_OK ? "whole" : error.text);
}

static void drive(thing_job *job)
{
    ended_calls calls = {0};
    doomed d;
    tc_error error = {TC_OK, "calls that do not end"};
    prepare(job, &d);
    const int victim = thing_counters(job, VICTIM).pid;
    for (uint32_t i = 0; i < UNDER_WAY / 3; i++) {
        start(job, THING_LINGER, d.at_victim, TC_SECONDS(30), &calls);
        start(job, THING_BUMP, d.of_victim, 1, &calls);
        start(job, i % 2 == 0 ? THING_ADD : THING_BUMP, d.elsewhere, 0, &calls);
    }
    start(job, THING_LEAVE, d.coming, 1, &calls);
    start(job, THING_LEAVE, d.large, VICTIM, &calls);
    (void)thing_counters(job, 1);
    REQUIRE(kill(victim, SIGKILL) == 0);
    REQUIRE_OK(tc_calls_wait(job->ctx, THING_TIMEOUT_NS), &error);
    REQUIRE(calls.ended == UNDER_WAY + 2);
    REQUIRE(calls.succeeded >= UNDER_WAY / 3);
    REQUIRE(calls.succeeded <= UNDER_WAY + 2 - UNDER_WAY / 3);
    REQUIRE(calls.without_text == 0);
    check_after(job, &d);
    check_moving(job, d.coming);
    check_moving(job, d.large);
    thing_job_release(job, 1);
    thing_job_release(job, 3);
}

void thing_deaths(thing_job *job)
{
    REQUIRE(job->ranks == 4);
    if (job->rank == 0)
        drive(job);
    else
        thing_job_serve(job);
}
