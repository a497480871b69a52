/* One active message after another, of each kind of operation, to each rank. */
#include "am_job.h"

enum { NUMBERS = 5, SEGMENTS = 1000 };

static int64_t input[NUMBERS * SEGMENTS], output[NUMBERS * SEGMENTS];

/* All ranks in turn add to one rank's window, which has to contain all of it. */
static void add_in_turn(am_job *job, tc_am_window *window, tc_am_op *op, uint32_t segments)
{
    tc_error error;
    for (uint32_t turn = 0; turn < job->ranks; turn++) {
        int64_t *mine = tc_am_window_memory(window);
        memset(mine, 0, 8 * NUMBERS);
        am_job_meet(job);
        if (turn == job->rank) {
            for (uint32_t to = 0; to < job->ranks; to++) {
                tc_am_params params = am_numbers(input, output, NUMBERS, segments);
                memset(output, 0, sizeof output);
                REQUIRE_OK(tc_am(window, to, op, &params, &error), &error);
                int64_t sum = 0;
                for (uint32_t s = 0; s < segments; s++) {
                    sum += input[s * NUMBERS + 2];
                    REQUIRE(output[s * NUMBERS + 2] == sum);
                }
            }
        }
        am_job_meet(job);
        int64_t sum = 0;
        for (uint32_t s = 0; s < segments; s++)
            sum += input[s * NUMBERS + 4];
        REQUIRE(mine[4] == sum);
        am_job_meet(job);
    }
}

static void see_all(am_job *job, tc_am_window *window)
{
    static int64_t seen[4 * SEGMENTS];
    tc_error error;
    tc_am_request request;
    const tc_am_params params = {.output = seen,
                                 .output_layout = {.bytes = 32},
                                 .segments = SEGMENTS,
                                 .description = "d",
                                 .description_bytes = 1,
                                 .at = 8,
                                 .bytes = 16};
    for (uint32_t to = 0; to < job->ranks; to++) {
        memset(seen, 0, sizeof seen);
        REQUIRE_OK(tc_am_start(window, to, job->see, &params, &request, &error), &error);
        REQUIRE_OK(tc_am_wait(job->ams, &request, AM_TIMEOUT_NS, &error), &error);
        REQUIRE(request.is_done == 1 && request.segments == SEGMENTS);
        for (int64_t s = 0; s < SEGMENTS; s++) {
            const int64_t *four = seen + s * 4;
            REQUIRE(four[0] == s && four[1] == job->rank && four[2] == 'd' && four[3] == 16);
        }
    }
}

static void search(am_job *job, tc_am_window *window)
{
    char *table = tc_am_window_memory(window);
    char keys[3][AM_KEY_BYTES], values[3][AM_KEY_BYTES];
    tc_error error;
    memset(table, 0, 8 * AM_KEY_BYTES);
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(table + i * 2 * AM_KEY_BYTES, AM_KEY_BYTES, "key %u of %u", i, job->rank);
        snprintf(table + (i * 2 + 1) * AM_KEY_BYTES, AM_KEY_BYTES, "value %u of %u", i,
                 job->rank);
    }
    am_job_meet(job);
    const uint32_t to = (job->rank + 1) % job->ranks;
    const tc_am_params params = {.input = keys,
                                 .output = values,
                                 .input_layout = {.bytes = AM_KEY_BYTES},
                                 .output_layout = {.bytes = AM_KEY_BYTES},
                                 .segments = 3,
                                 .bytes = 8 * AM_KEY_BYTES};
    memset(keys, 0, sizeof keys);
    snprintf(keys[0], AM_KEY_BYTES, "key 3 of %u", to);
    snprintf(keys[1], AM_KEY_BYTES, "no key");
    snprintf(keys[2], AM_KEY_BYTES, "key 0 of %u", to);
    for (uint32_t unit = 0; unit < 3; unit++) {
        tc_am_params by_unit = params;
        by_unit.unit = unit;
        memset(values, 1, sizeof values);
        REQUIRE_OK(tc_am(window, to, job->search, &by_unit, &error), &error);
        REQUIRE(strncmp(values[0], "value 3 of ", 11) == 0 && values[1][0] == '\0');
        REQUIRE(strncmp(values[2], "value 0 of ", 11) == 0);
    }
    am_job_meet(job);
}

static void count_one(void *user, const tc_am_outcome *outcome)
{
    REQUIRE(outcome->status == TC_OK && outcome->segments == 1);
    ++*(uint32_t *)user;
}

/* Many at once, by each way to notice the end. */
static void start_many(am_job *job, tc_am_window *window)
{
    enum { MANY = 5000 };
    static tc_am_request requests[MANY];
    static uint32_t called;
    const int64_t one = 1;
    tc_error error;
    uint32_t expected = 0;
    memset(tc_am_window_memory(window), 0, 64);
    am_job_meet(job);
    for (uint32_t i = 0; i < MANY; i++) {
        tc_am_params params = am_numbers(&one, NULL, 1, 1);
        const uint32_t way = i % 3;
        params.done = way == 0 ? count_one : NULL;
        params.user = &called;
        expected += way == 0;
        tc_status status;
        while ((status = tc_am_start(window, i % job->ranks, job->add, &params,
                                     way == 1 ? &requests[i] : NULL, &error)) == TC_E_AGAIN)
            (void)tc_wait(job->ctx, TC_MILLISECONDS(1));
        REQUIRE_OK(status, &error);
    }
    REQUIRE_OK(tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error), &error);
    REQUIRE(called == expected);
    for (uint32_t i = 1; i < MANY; i += 3)
        REQUIRE(requests[i].is_done == 1 && requests[i].status == TC_OK);
    called = 0;
    am_job_meet(job);
    uint64_t mine = 0;
    for (uint32_t i = 0; i < MANY; i++)
        mine += i % job->ranks == job->rank;
    REQUIRE(*(int64_t *)tc_am_window_memory(window) == (int64_t)(mine * job->ranks));
    am_job_meet(job);
}

/* An operation that starts active messages itself: to the next rank, and to its own. */
static struct {
    am_job *job;
    tc_am_window *window;
    uint32_t refused;
} passing;

static void pass_on(tc_am_unit *unit)
{
    static const int64_t one = 1;
    am_job *job = passing.job;
    tc_error error;
    for (uint32_t s = 0; s < unit->segments; s++) {
        const tc_am_params params = am_numbers(&one, NULL, 1, 1);
        const uint32_t to = (job->rank + s % 2) % job->ranks;
        const tc_status status =
            tc_am_start(passing.window, to, job->add, &params, NULL, &error);
        passing.refused += status == TC_E_AGAIN;
        REQUIRE(status == TC_OK || status == TC_E_AGAIN);
    }
    /* It may not wait. */
    REQUIRE(tc_am_flush(passing.window, TC_RANK_NONE, AM_TIMEOUT_NS, &error) != TC_OK);
}

static void pass(am_job *job, tc_am_window *window)
{
    enum { TIMES = 200, EACH = 10 };
    tc_error error;
    tc_am_op *op;
    int64_t *mine = tc_am_window_memory(window);
    REQUIRE_OK(tc_am_op_register(job->ams, "pass", "", pass_on, &op, &error), &error);
    passing.job = job;
    passing.window = window;
    passing.refused = 0;
    *mine = 0;
    am_job_meet(job);
    for (uint32_t i = 0; i < TIMES; i++) {
        const tc_am_params params = {.segments = EACH};
        REQUIRE_OK(tc_am(window, (job->rank + 1) % job->ranks, op, &params, &error), &error);
    }
    am_job_meet(job);
    REQUIRE_OK(tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error), &error);
    am_job_meet(job);
    REQUIRE(passing.refused > 0 || *mine == TIMES * EACH);
    am_job_meet(job);
    REQUIRE(tc_am_op_close(op) == TC_OK);
}

/* Closes active messages and opens others, in the context that had them. */
static void open_again(am_job *job)
{
    static uint64_t memory[NUMBERS];
    const tc_ams_params params = {.group = job->group};
    tc_error error;
    am_job_meet(job);
    REQUIRE(tc_am_op_close(job->sum) == TC_OK && tc_am_op_close(job->search) == TC_OK);
    REQUIRE(tc_ams_close(job->ams) == TC_OK);
    REQUIRE_OK(tc_ams_open(job->ctx, &params, &job->ams, &error), &error);
    REQUIRE_OK(tc_am_op_open(job->ams, job->sum_fn, am_sum_am, &job->sum, &error), &error);
    job->search = NULL;
    tc_am_window *window =
        am_job_window(job, (tc_am_window_params){.memory = memory, .bytes = sizeof memory});
    add_in_turn(job, window, job->sum, SEGMENTS);
    am_job_close(window);
}

void am_basics(am_job *job)
{
    static uint64_t memory[1024];
    tc_am_counts counts;
    for (uint32_t i = 0; i < NUMBERS * SEGMENTS; i++)
        input[i] = (int64_t)i * 7 - 3000;
    for (uint32_t shared = 0; shared < 2; shared++) {
        tc_am_window *window =
            am_job_window(job, (tc_am_window_params){.memory = shared ? NULL : memory,
                                                     .bytes = sizeof memory,
                                                     .shared = shared});
        REQUIRE(tc_am_window_bytes(window) == sizeof memory);
        const uint32_t sizes[] = {1, 2, 100, SEGMENTS};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            add_in_turn(job, window, job->add, sizes[i]);
            add_in_turn(job, window, job->sum, sizes[i]);
        }
        see_all(job, window);
        search(job, window);
        start_many(job, window);
        pass(job, window);
        am_job_close(window);
    }
    tc_am_count(job->ams, &counts, sizeof counts);
    REQUIRE(counts.started > 10000);
    REQUIRE(job->ranks == 1 || (counts.units_served > 1000 && counts.units_sent > 1000));
    open_again(job);
}
