/* A rank of a job that tests active messages. */
#ifndef AM_JOB_H
#define AM_JOB_H

#include "am_ops_shared.h"

#include "../support/require.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <tc/advanced.h>
#include <tc/am.h>

#define AM_TIMEOUT_NS TC_SECONDS(60)

typedef struct am_job {
    tc_context *ctx;
    tc_group *group;
    tc_ams *ams;
    tc_ifunc *sum_fn, *search_fn;      /* NULL: not asked for */
    tc_am_op *sum, *search;            /* that travel */
    tc_am_op *add, *echo, *stop, *see; /* registered */
    uint32_t rank, ranks;
} am_job;

#define REQUIRE_OK(expr, error) am_require((expr), (error), __FILE__, __LINE__)
void am_require(tc_status status, const tc_error *error, const char *file, int line);

/* Joins, opens and registers; `params` may be NULL. */
void am_job_begin(am_job *job, const tc_ams_params *params, bool with_functions);
void am_job_meet(am_job *job);
void am_job_end(am_job *job);

tc_am_window *am_job_window(am_job *job, tc_am_window_params params);
void am_job_close(tc_am_window *window);

/* Params of contiguous segments of 8-byte numbers; the range is [0, 8 * numbers). */
tc_am_params am_numbers(const int64_t *input, int64_t *output, uint32_t numbers,
                        uint32_t segments);

/* The tests. */
void am_basics(am_job *job);
void am_layouts(am_job *job);
void am_faults(am_job *job);
void am_orders(am_job *job);
void am_storm(am_job *job, uint32_t rounds);
void am_origins(am_job *job);
void am_large(am_job *job);
void am_deaths(am_job *job); /* ends the job, too */

#endif
