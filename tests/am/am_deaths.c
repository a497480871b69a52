/* Rank 2 of four is killed while all send to it and to one another. What was for it ends with a
 * status and a text, all else succeeds, and the others close their windows. */
#include "am_job.h"

#include <signal.h>
#include <unistd.h>

enum { VICTIM = 2, MANY = 200, SEGMENTS = 50 };

static uint64_t memory[8];

static void must_close(am_job *job, tc_am_window *window)
{
    tc_error error = {TC_OK, ""};
    /* The ranks cannot meet any more. */
    REQUIRE(tc_am_window_close(window, TC_SECONDS(20), &error) != TC_OK);
    REQUIRE(error.text[0] != '\0');
    for (int i = 0; i < 100; i++)
        (void)tc_wait(job->ctx, TC_MILLISECONDS(10));
}

void am_deaths(am_job *job)
{
    static tc_am_request requests[MANY];
    static int64_t input[SEGMENTS];
    uint32_t failed = 0;
    tc_error error;
    tc_am_window *window =
        am_job_window(job, (tc_am_window_params){.memory = memory, .bytes = sizeof memory});
    for (uint32_t i = 0; i < MANY; i++) {
        tc_am_params params = am_numbers(input, NULL, 1, SEGMENTS);
        params.unit = 3;
        params.timeout_ns = TC_SECONDS(10);
        if (job->rank == VICTIM && i == MANY / 4)
            (void)kill(getpid(), SIGKILL);
        tc_status status;
        while ((status = tc_am_start(window, i % job->ranks, job->add, &params, &requests[i],
                                     &error)) == TC_E_AGAIN)
            (void)tc_wait(job->ctx, TC_MILLISECONDS(1));
        if (status != TC_OK) {
            REQUIRE(i % job->ranks == VICTIM && error.text[0] != '\0');
            requests[i].is_done = 1;
        }
    }
    for (uint32_t i = 0; i < MANY; i++) {
        if (requests[i].is_done != 0)
            continue;
        const tc_status status = tc_am_wait(job->ams, &requests[i], AM_TIMEOUT_NS, &error);
        REQUIRE(requests[i].is_done == 1);
        if (status == TC_OK) {
            REQUIRE(requests[i].segments == SEGMENTS);
            continue;
        }
        failed++;
        REQUIRE(i % job->ranks == VICTIM && error.text[0] != '\0');
        REQUIRE(requests[i].segments < SEGMENTS);
    }
    REQUIRE(failed > 0);
    REQUIRE(tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error) == TC_OK);
    must_close(job, window);
    REQUIRE(tc_am_op_close(job->sum) == TC_OK && tc_am_op_close(job->search) == TC_OK);
    REQUIRE(tc_ams_close(job->ams) == TC_OK);
    tc_ifunc_close(job->sum_fn);
    tc_ifunc_close(job->search_fn);
    tc_context_destroy(job->ctx);
}
