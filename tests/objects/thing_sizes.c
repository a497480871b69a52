/* States of many sizes, and states that are too large. Rank 0 drives. */
#include "thing_job.h"

#include <string.h>

static void check_size(thing_job *job, uint64_t bytes)
{
    const uint64_t expected = bytes > sizeof(thing) ? bytes : sizeof(thing);
    const tc_gptr object = thing_create(job, 0, bytes, bytes % 251);
    tc_error error;
    for (uint32_t i = 0; i < 4; i++) {
        thing_move(job, object, (i + 1) % job->ranks);
        thing_call(job, THING_ADD, object, 1);
        const thing_answer answer = thing_look(job, object);
        REQUIRE(answer.rank == (i + 1) % job->ranks);
        REQUIRE(answer.bytes == expected);
        REQUIRE(answer.is_whole == 1);
        REQUIRE(answer.value == i + 1);
    }
    REQUIRE_OK(tc_object_destroy(job->objects, object, NULL, THING_TIMEOUT_NS, &error), &error);
}

void thing_sizes(thing_job *job)
{
    static const uint64_t sizes[] = {0,      33,     4096,     131071,   131072,
                                     131073, 262144, 1u << 20, 4u << 20, (16u << 20) + 5};
    const thing_start start = {(64u << 20) + 1, 0};
    tc_gptr object;
    tc_error error;
    if (job->rank == 0) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            check_size(job, sizes[i]);
        REQUIRE(tc_object_create(job->objects, job->ranks - 1, job->functions[THING_NEW],
                                 &start, sizeof start, THING_TIMEOUT_NS, &object,
                                 &error) == TC_E_NO_MEMORY);
        REQUIRE(strcmp(error.text, "no such state") == 0);
    }
    thing_job_meet(job);
    REQUIRE(tc_objects_count(job->objects) == 0);
    thing_job_meet(job);
}
