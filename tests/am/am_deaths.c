/* Rank 2 of four is killed while all send to it and to one another. Active messages to it end
 * with a status and a text, all others succeed, and the other ranks close their windows. */
#include "am_job.h"

#include <signal.h>
#include <unistd.h>

enum { VICTIM = 2, MANY = 200, SEGMENTS = 50 };

static uint64_t memory[8];

static tc_am_request requests[MANY];
static int64_t input[SEGMENTS];

/* Sends to all ranks by turns. */
static void start_all(am_job *job, tc_am_window *window)
{
    tc_error error;
    for (uint32_t i = 0; i < MANY; i++) {
        tc_am_params params = am_numbers(input, NULL, 1, SEGMENTS);
        params.unit = 3;
        params.timeout_ns = TC_SECONDS(10);
        tc_status status;
        while ((status = tc_am_start(window, i % job->ranks, job->add, &params, &requests[i],
                                     &error)) == TC_E_AGAIN)
            (void)tc_wait(job->ctx, TC_MILLISECONDS(1));
        if (status != TC_OK) {
            REQUIRE(i % job->ranks == VICTIM && error.text[0] != '\0');
            requests[i].status = status;
            requests[i].segments = 0;
            requests[i].is_done = 1;
        }
    }
}

/* Returns how many failed; all of these were for the victim. */
static uint32_t await_all(am_job *job)
{
    uint32_t failed = 0;
    tc_error error;
    for (uint32_t i = 0; i < MANY; i++) {
        const tc_status status = tc_am_wait(job->ams, &requests[i], AM_TIMEOUT_NS, &error);
        REQUIRE(requests[i].is_done == 1);
        if (status == TC_OK) {
            REQUIRE(requests[i].segments == SEGMENTS);
            continue;
        }
        failed++;
        REQUIRE(i % job->ranks == VICTIM);
        REQUIRE(requests[i].segments < SEGMENTS);
    }
    return failed;
}

void am_deaths(am_job *job)
{
    tc_error error;
    uint32_t failed = 0;
    tc_am_window *window =
        am_job_window(job, (tc_am_window_params){.memory = memory, .bytes = sizeof memory});
    start_all(job, window);
    if (job->rank == VICTIM)
        (void)kill(getpid(), SIGKILL);
    failed += await_all(job);
    while (failed == 0) { /* until it is dead for this rank, too */
        start_all(job, window);
        failed += await_all(job);
    }
    REQUIRE(tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error) == TC_OK);
    /* The ranks cannot meet any more, and stay until all have seen that. */
    REQUIRE(tc_am_window_close(window, TC_SECONDS(20), &error) != TC_OK);
    REQUIRE(error.text[0] != '\0');
    for (int i = 0; i < 200; i++)
        (void)tc_wait(job->ctx, TC_MILLISECONDS(10));
    REQUIRE(tc_am_op_close(job->sum) == TC_OK && tc_am_op_close(job->search) == TC_OK);
    REQUIRE(tc_ams_close(job->ams) == TC_OK);
    tc_ifunc_close(job->sum_fn);
    tc_ifunc_close(job->search_fn);
    tc_context_destroy(job->ctx);
}
