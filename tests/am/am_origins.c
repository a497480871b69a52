/* Origins that run an operation themselves: the sums are those of targets that run it. */
#include "am_job.h"

enum { ROUNDS = 2000, NUMBERS = 3 };

static uint64_t own_memory[NUMBERS];

/* All add to the last rank's window at once. Returns the units that this rank ran itself. */
static uint64_t add_all(am_job *job, tc_am_window *window)
{
    const int64_t input[NUMBERS * 2] = {1, 2, 3, 10, 20, 30};
    const uint32_t to = job->ranks - 1;
    int64_t output[NUMBERS * 2];
    tc_am_counts before, after;
    tc_error error;
    int64_t last = 0;
    int64_t *mine = tc_am_window_memory(window);
    memset(mine, 0, 8 * NUMBERS);
    am_job_meet(job);
    tc_am_count(job->ams, &before, sizeof before);
    for (int i = 0; i < ROUNDS; i++) {
        const tc_am_params params = am_numbers(input, output, NUMBERS, 2);
        REQUIRE_OK(tc_am(window, to, job->add, &params, &error), &error);
        REQUIRE(output[2] > last && output[5] >= output[2] + 30);
        last = output[5];
    }
    tc_am_count(job->ams, &after, sizeof after);
    am_job_meet(job);
    if (job->rank == to) {
        for (int64_t i = 0; i < NUMBERS; i++)
            REQUIRE(mine[i] == (i + 1) * 11 * ROUNDS * job->ranks);
    }
    am_job_meet(job);
    return after.units_here - before.units_here;
}

/* A failure here is the one that a target reports. */
static void fail_here(am_job *job, tc_am_window *window)
{
    int64_t input[8] = {0, 0, 0, -1, 0, 0, 0, 0};
    tc_am_request request;
    tc_error error;
    const tc_am_params p = {
        .input = input, .input_layout = {.bytes = 8}, .segments = 8, .unit = 2, .bytes = 8};
    const uint32_t to = job->ranks - 1;
    REQUIRE_OK(tc_am_start(window, to, job->stop, &p, &request, &error), &error);
    REQUIRE(tc_am_wait(job->ams, &request, AM_TIMEOUT_NS, &error) == TC_E_IO);
    REQUIRE(request.segments == 2 && strstr(error.text, "below 0") != NULL);
    tc_am_params outside = p;
    outside.at = 8 * NUMBERS;
    REQUIRE(tc_am(window, to, job->stop, &outside, &error) == TC_E_INVALID);
    REQUIRE(strstr(error.text, "expected inside") != NULL);
    am_job_meet(job);
}

void am_origins(am_job *job)
{
    const bool is_target = job->rank == job->ranks - 1;
    tc_gptr pointer;
    uint64_t bytes, word = 0;
    tc_ep *ep;
    tc_error error;
    tc_am_window *window = am_job_window(
        job, (tc_am_window_params){.bytes = 8 * NUMBERS, .shared = 1, .concurrent = 1});
    REQUIRE(add_all(job, window) == ROUNDS);
    fail_here(job, window);
    tc_am_window_set_concurrent(window, 0);
    REQUIRE(add_all(job, window) == (is_target ? ROUNDS : 0));
    tc_am_window_set_concurrent(window, 1);
    REQUIRE(add_all(job, window) == ROUNDS);
    /* The same memory by operations of windows. */
    REQUIRE_OK(
        tc_am_window_find(window, job->ranks - 1, &pointer, &bytes, AM_TIMEOUT_NS, &error),
        &error);
    REQUIRE(bytes == 8 * NUMBERS);
    REQUIRE_OK(tc_group_ep(job->group, job->ranks - 1, &ep, &error), &error);
    REQUIRE_OK(tc_window_get(ep, pointer, &word, sizeof word, AM_TIMEOUT_NS, &error), &error);
    REQUIRE(word == 11u * ROUNDS * job->ranks);
    am_job_meet(job);
    am_job_close(window);
    /* The program's memory cannot be mapped. */
    window = am_job_window(job, (tc_am_window_params){.memory = own_memory,
                                                      .bytes = sizeof own_memory,
                                                      .concurrent = 1});
    REQUIRE(add_all(job, window) == (is_target ? ROUNDS : 0));
    am_job_close(window);
}
