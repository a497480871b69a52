#include "thing_job.h"

#include <string.h>
#include <unistd.h>

static const char *const names[THING_FUNCTIONS] = {
    "thing_new",   "thing_add",    "thing_bump",  "thing_linger",   "thing_look",
    "thing_leave", "thing_drop",   "thing_tell",  "thing_large",    "thing_lie",
    "other_touch", "rank_control", "thing_throw", "thing_new_throw"};

void thing_require(tc_status status, const tc_error *error, const char *file, int line)
{
    if (status == TC_OK)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, tc_status_name(status), error->text);
    exit(3);
}

void thing_job_begin(thing_job *job, uint32_t objects_max)
{
    tc_error error;
    memset(job, 0, sizeof *job);
    job->counters.pid = (int)getpid();
    REQUIRE_OK(tc_context_create(NULL, &job->ctx, &error), &error);
    REQUIRE_OK(tc_group_join(job->ctx, THING_TIMEOUT_NS, &job->group, &error), &error);
    job->rank = tc_group_rank(job->group);
    job->ranks = tc_group_size(job->group);
    for (int i = 0; i < THING_FUNCTIONS; i++)
        REQUIRE_OK(tc_ifunc_open(job->ctx, names[i], &job->functions[i], &error), &error);
    REQUIRE_OK(
        tc_context_publish(job->ctx, THING_RANK, &job->counters, sizeof job->counters, &error),
        &error);
    const tc_objects_params params = {
        .group = job->group, .objects_max = objects_max, .state_max = 64u << 20};
    REQUIRE_OK(tc_objects_open(job->ctx, &params, &job->objects, &error), &error);
    thing_job_meet(job);
}

void thing_job_meet(thing_job *job)
{
    tc_error error;
    REQUIRE_OK(tc_group_barrier(job->group, THING_TIMEOUT_NS, &error), &error);
}

static thing_rank control(thing_job *job, uint32_t rank, const char *order)
{
    thing_rank counters;
    size_t size = sizeof counters;
    tc_error error;
    tc_ep *ep;
    REQUIRE_OK(tc_group_ep(job->group, rank, &ep, &error), &error);
    REQUIRE_OK(tc_call(ep, job->functions[RANK_CONTROL], order, strlen(order), &counters, &size,
                       THING_TIMEOUT_NS, &error),
               &error);
    REQUIRE(size == sizeof counters);
    return counters;
}

thing_rank thing_counters(thing_job *job, uint32_t rank)
{
    return control(job, rank, "");
}

void thing_job_release(thing_job *job, uint32_t rank)
{
    (void)control(job, rank, "e");
}

void thing_job_serve(thing_job *job)
{
    while (!job->counters.has_ended) {
        job->counters.objects = tc_objects_count(job->objects);
        (void)tc_wait(job->ctx, TC_MILLISECONDS(100));
    }
}

void thing_job_end(thing_job *job)
{
    tc_status status = TC_E_BUSY;
    for (int i = 0; i < 1500 && status == TC_E_BUSY; i++) {
        status = tc_objects_close(job->objects);
        (void)tc_wait(job->ctx, TC_MILLISECONDS(10));
    }
    REQUIRE(status == TC_OK);
    for (int i = 0; i < THING_FUNCTIONS; i++)
        tc_ifunc_close(job->functions[i]);
    tc_context_destroy(job->ctx);
}

/* --- calls -------------------------------------------------------------------------------- */

tc_gptr thing_create(thing_job *job, uint32_t rank, uint64_t bytes, uint64_t seed)
{
    const thing_start start = {bytes, seed};
    tc_gptr object;
    tc_error error;
    REQUIRE_OK(tc_object_create(job->objects, rank, job->functions[THING_NEW], &start,
                                sizeof start, THING_TIMEOUT_NS, &object, &error),
               &error);
    return object;
}

tc_status thing_try(thing_job *job, thing_function function, tc_gptr object, uint64_t amount,
                    tc_error *error)
{
    const thing_amount message = {object, amount};
    uint64_t value;
    size_t size = sizeof value;
    error->text[0] = '\0';
    return tc_object_call(job->objects, job->functions[function], &message, sizeof message,
                          &value, &size, THING_TIMEOUT_NS, error);
}

uint64_t thing_call(thing_job *job, thing_function function, tc_gptr object, uint64_t amount)
{
    const thing_amount message = {object, amount};
    uint64_t value = 0;
    size_t size = sizeof value;
    tc_error error;
    REQUIRE_OK(tc_object_call(job->objects, job->functions[function], &message, sizeof message,
                              &value, &size, THING_TIMEOUT_NS, &error),
               &error);
    return value;
}

thing_answer thing_look(thing_job *job, tc_gptr object)
{
    thing_answer answer;
    size_t size = sizeof answer;
    tc_error error;
    REQUIRE_OK(tc_object_call(job->objects, job->functions[THING_LOOK], &object, sizeof object,
                              &answer, &size, THING_TIMEOUT_NS, &error),
               &error);
    REQUIRE(size == sizeof answer);
    return answer;
}

void thing_move(thing_job *job, tc_gptr object, uint32_t rank)
{
    tc_error error;
    REQUIRE_OK(tc_object_move(job->objects, object, rank, THING_TIMEOUT_NS, &error), &error);
}

void thing_await(thing_job *job, tc_gptr object, uint32_t rank)
{
    static const tc_error error = {TC_E_TIMEOUT, "the object has not moved"};
    for (int i = 0; i < 10000; i++) {
        if (thing_look(job, object).rank == rank)
            return;
        (void)tc_wait(job->ctx, TC_MILLISECONDS(1));
    }
    thing_require(TC_E_TIMEOUT, &error, __FILE__, __LINE__);
}
