#include "am_job.h"

void am_require(tc_status status, const tc_error *error, const char *file, int line)
{
    if (status == TC_OK)
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, tc_status_name(status), error->text);
    exit(3);
}

/* --- registered operations ---------------------------------------------------------------- */

/* Adds atomically, so that it may run at several ranks at once. */
static void add(tc_am_unit *unit)
{
    const int64_t *input = unit->input;
    int64_t *output = unit->output, *sums = unit->persistent;
    const uint32_t numbers = unit->input_bytes / 8;
    for (uint32_t i = 0; i < unit->segments * numbers; i++) {
        const int64_t sum = __atomic_add_fetch(&sums[i % numbers], input[i], __ATOMIC_RELAXED);
        if (unit->output_bytes > 0)
            output[i] = sum;
    }
}

/* Answers with the input, the gaps of both layouts as they are; without input with numbers. */
static void echo(tc_am_unit *unit)
{
    const uint32_t bytes =
        unit->input_bytes < unit->output_bytes ? unit->input_bytes : unit->output_bytes;
    for (uint32_t s = 0; s < unit->segments; s++)
        memcpy((char *)unit->output + s * unit->output_bytes,
               (const char *)unit->input + s * unit->input_bytes, bytes);
}

/* Fails at a number in the input, after it has counted the segments in the window. */
static void stop(tc_am_unit *unit)
{
    const int64_t *input = unit->input;
    int64_t *counted = unit->persistent;
    for (uint32_t s = 0; s < unit->segments; s++) {
        if (input[s] < 0) {
            tc_am_fail(unit, TC_E_IO, "a segment below 0");
            return;
        }
        ++*counted;
    }
}

/* Answers with the parameters that it sees. */
static void see(tc_am_unit *unit)
{
    int64_t *output = unit->output;
    for (uint32_t s = 0; s < unit->segments; s++, output += 4) {
        output[0] = unit->first + s;
        output[1] = unit->origin;
        output[2] = unit->description_bytes > 0 ? *(const char *)unit->description : -1;
        output[3] = (int64_t)unit->persistent_bytes;
    }
}

/* --- the job ------------------------------------------------------------------------------ */

void am_job_begin(am_job *job, const tc_ams_params *given, bool with_functions)
{
    tc_ams_params params = {0};
    tc_error error;
    memset(job, 0, sizeof *job);
    REQUIRE_OK(tc_context_create(NULL, &job->ctx, &error), &error);
    REQUIRE_OK(tc_group_join(job->ctx, AM_TIMEOUT_NS, &job->group, &error), &error);
    job->rank = tc_group_rank(job->group);
    job->ranks = tc_group_size(job->group);
    if (given != NULL)
        params = *given;
    params.group = job->group;
    REQUIRE_OK(tc_ams_open(job->ctx, &params, &job->ams, &error), &error);
    REQUIRE_OK(tc_am_op_register(job->ams, "add", "i64[n] i64[n]", add, &job->add, &error),
               &error);
    REQUIRE_OK(tc_am_op_register(job->ams, "echo", "", echo, &job->echo, &error), &error);
    REQUIRE_OK(tc_am_op_register(job->ams, "stop", "i64", stop, &job->stop, &error), &error);
    REQUIRE_OK(tc_am_op_register(job->ams, "see", "i64[4]", see, &job->see, &error), &error);
    if (!with_functions)
        return;
    REQUIRE_OK(tc_ifunc_open(job->ctx, "am_sum", &job->sum_fn, &error), &error);
    REQUIRE_OK(tc_ifunc_open(job->ctx, "am_search", &job->search_fn, &error), &error);
    REQUIRE_OK(tc_am_op_open(job->ams, job->sum_fn, am_sum_am, &job->sum, &error), &error);
    REQUIRE_OK(tc_am_op_open(job->ams, job->search_fn, NULL, &job->search, &error), &error);
}

void am_job_meet(am_job *job)
{
    tc_error error;
    REQUIRE_OK(tc_group_barrier(job->group, AM_TIMEOUT_NS, &error), &error);
}

void am_job_end(am_job *job)
{
    tc_error error;
    (void)error;
    am_job_meet(job);
    REQUIRE(tc_am_op_close(job->sum) == TC_OK && tc_am_op_close(job->search) == TC_OK);
    REQUIRE(tc_ams_close(job->ams) == TC_OK);
    tc_ifunc_close(job->sum_fn);
    tc_ifunc_close(job->search_fn);
    tc_context_destroy(job->ctx);
}

tc_am_window *am_job_window(am_job *job, tc_am_window_params params)
{
    tc_am_window *window;
    tc_error error;
    REQUIRE_OK(tc_am_window_open(job->ams, &params, AM_TIMEOUT_NS, &window, &error), &error);
    return window;
}

void am_job_close(tc_am_window *window)
{
    tc_error error;
    REQUIRE_OK(tc_am_window_close(window, AM_TIMEOUT_NS, &error), &error);
}

tc_am_params am_numbers(const int64_t *input, int64_t *output, uint32_t numbers,
                        uint32_t segments)
{
    return (tc_am_params){.input = input,
                          .output = output,
                          .input_layout = {.bytes = 8 * numbers},
                          .output_layout = {.bytes = output != NULL ? 8 * numbers : 0},
                          .segments = segments,
                          .bytes = 8 * numbers};
}
