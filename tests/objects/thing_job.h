/* A rank of a job that tests objects: its context, group and functions, and calls of things. A
 * failure ends the process with a line. */
#ifndef TEST_THING_JOB_H
#define TEST_THING_JOB_H

#include "shipped/thing.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define THING_TIMEOUT_NS TC_SECONDS(60)

typedef enum thing_function {
    THING_NEW,
    THING_ADD,
    THING_BUMP,
    THING_LINGER,
    THING_LOOK,
    THING_LEAVE,
    THING_DROP,
    THING_TELL,
    THING_LARGE,
    THING_LIE,
    OTHER_TOUCH,
    RANK_CONTROL,
    THING_THROW,
    THING_NEW_THROW,
    THING_FUNCTIONS
} thing_function;

typedef struct thing_job {
    tc_context *ctx;
    tc_group *group;
    tc_objects *objects;
    tc_ifunc *functions[THING_FUNCTIONS];
    thing_rank counters;
    uint32_t rank, ranks;
} thing_job;

#define REQUIRE_OK(status, error) thing_require((status), (error), __FILE__, __LINE__)
#define REQUIRE(condition)                                                                     \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                    \
            exit(3);                                                                           \
        }                                                                                      \
    } while (0)

void thing_require(tc_status status, const tc_error *error, const char *file, int line);

/* Joins the job and opens everything. `objects_max` 0: the default. */
void thing_job_begin(thing_job *job, uint32_t objects_max);

/* Waits for all ranks, serving. */
void thing_job_meet(thing_job *job);

/* Rank 0 calls it to let the others end; they call thing_job_serve. */
void thing_job_release(thing_job *job, uint32_t rank);
void thing_job_serve(thing_job *job);

void thing_job_end(thing_job *job);

/* Each requires that the call succeeds. */
tc_gptr thing_create(thing_job *job, uint32_t rank, uint64_t bytes, uint64_t seed);
uint64_t thing_call(thing_job *job, thing_function function, tc_gptr object, uint64_t amount);
thing_answer thing_look(thing_job *job, tc_gptr object);
void thing_move(thing_job *job, tc_gptr object, uint32_t rank);
thing_rank thing_counters(thing_job *job, uint32_t rank);

/* Returns how the call ends, in at most a minute, and its text. */
tc_status thing_try(thing_job *job, thing_function function, tc_gptr object, uint64_t amount,
                    tc_error *error);

/* Waits until the object is at a rank, to which a method has it move later. */
void thing_await(thing_job *job, tc_gptr object, uint32_t rank);

/* The tests; each is called at every rank. */
void thing_storm(thing_job *job, uint32_t rounds);
void thing_kinds(thing_job *job);
void thing_faults(thing_job *job);
void thing_sizes(thing_job *job);
void thing_deaths(thing_job *job);

#endif
