/* Whatever is wrong ends with a status and a text, and the next active message succeeds. */
#include "am_job.h"

static uint64_t memory[64];
static int64_t numbers[32], answers[32];

static void refused(tc_am_window *window, uint32_t rank, tc_am_op *op,
                    const tc_am_params *params, tc_status expected, const char *text)
{
    tc_error error = {TC_OK, ""};
    tc_status status = tc_am(window, rank, op, params, &error);
    if (status != expected || strstr(error.text, text) == NULL)
        fprintf(stderr, "%s: %s, expected %s with '%s'\n", tc_status_name(status), error.text,
                tc_status_name(expected), text);
    REQUIRE(status == expected && strstr(error.text, text) != NULL);
}

/* --- parameters --------------------------------------------------------------------------- */

static void wrong_params(am_job *job, tc_am_window *window, uint32_t to)
{
    const tc_am_params right = am_numbers(numbers, answers, 1, 4);
    const tc_am_block twice[] = {{0, 4}, {2, 4}};
    const tc_am_layout half = {.bytes = 4};
    tc_am_params p = right;
    p.segments = 0;
    refused(window, to, job->add, &p, TC_E_INVALID, "without segments");
    p = right;
    p.at = UINT64_MAX;
    refused(window, to, job->add, &p, TC_E_INVALID, "range");
    p = right;
    p.input = NULL;
    refused(window, to, job->add, &p, TC_E_INVALID, "NULL");
    p = right;
    p.input_layout.count = 2;
    refused(window, to, job->add, &p, TC_E_INVALID, "input: a layout of 8 bytes and 2 blocks");
    p = right;
    p.output_layout = (tc_am_layout){.count = 2, .blocks = twice};
    refused(window, to, job->add, &p, TC_E_INVALID, "overlap");
    p.output_layout = (tc_am_layout){.count = 2, .block = 8, .stride = 4};
    refused(window, to, job->add, &p, TC_E_INVALID, "overlap");
    p.output_layout = (tc_am_layout){.count = UINT64_MAX, .block = 8, .stride = 8};
    refused(window, to, job->add, &p, TC_E_INVALID, "blocks");
    p = right;
    p.input_layout.bytes = TC_AM_SEGMENT_BYTES_MAX + 1ull;
    refused(window, to, job->add, &p, TC_E_TOO_LARGE, "more than");
    p = right;
    p.unit = 1u << 20;
    p.segments = 1u << 20;
    refused(window, to, job->add, &p, TC_E_TOO_LARGE, "a unit of");
    p = right;
    p.target_input = &half;
    refused(window, to, job->add, &p, TC_E_INVALID, "target's input: 4 bytes");
    p = right;
    p.description_bytes = 3;
    refused(window, to, job->add, &p, TC_E_INVALID, "description");
    p.description = numbers;
    p.description_bytes = TC_AM_DESCRIPTION_MAX + 1;
    refused(window, to, job->add, &p, TC_E_TOO_LARGE, "description");
    refused(window, job->ranks, job->add, &right, TC_E_NOT_FOUND, "rank");
}

/* --- ranges and operations ---------------------------------------------------------------- */

static void wrong_ranges(am_job *job, tc_am_window *window, uint32_t to)
{
    tc_am_params p = am_numbers(numbers, answers, 1, 1);
    p.at = sizeof memory - 4;
    refused(window, to, job->add, &p, TC_E_INVALID, "expected inside the window's 512");
    p.at = 1ull << 40;
    refused(window, to, job->add, &p, TC_E_INVALID, "expected inside");
    p.at = 0;
    p.bytes = sizeof memory + 1;
    refused(window, to, job->sum, &p, TC_E_INVALID, "expected inside");
}

static void unit_stops(am_job *job, tc_am_window *window, uint32_t to, bool goes_on)
{
    int64_t input[20] = {0};
    uint64_t counted = 0;
    tc_am_request request;
    tc_error error;
    tc_am_params p = {
        .input = input, .input_layout = {.bytes = 8}, .segments = 20, .unit = 2, .bytes = 8};
    input[7] = -1;
    memory[0] = 0;
    am_job_meet(job);
    REQUIRE_OK(tc_am_start(window, to, job->stop, &p, &request, &error), &error);
    REQUIRE(tc_am_wait(job->ams, &request, AM_TIMEOUT_NS, &error) == TC_E_IO);
    REQUIRE(strstr(error.text, "below 0") != NULL && request.is_done == 1);
    /* Units that were sent already have run, too. */
    REQUIRE(request.segments >= 6 && request.segments <= 18);
    REQUIRE(!goes_on || request.segments == 18);
    am_job_meet(job);
    counted = memory[0];
    REQUIRE(counted == request.segments + 1 || job->ranks > 1);
    /* Without request the flush reports it, once. */
    REQUIRE_OK(tc_am_start(window, to, job->stop, &p, NULL, &error), &error);
    REQUIRE(tc_am_flush(window, to, AM_TIMEOUT_NS, &error) == TC_E_IO);
    REQUIRE_OK(tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error), &error);
    am_job_meet(job);
}

static void other(tc_am_unit *unit)
{
    (void)unit;
}

/* Each rank registers another one, rank 0 one more. */
static void wrong_operations(am_job *job, tc_am_window *window, uint32_t to)
{
    const tc_am_params p = {.segments = 1};
    char name[16];
    tc_am_op *mine, *last = NULL;
    tc_error error;
    snprintf(name, sizeof name, "only %u", job->rank);
    REQUIRE_OK(tc_am_op_register(job->ams, name, "sig", other, &mine, &error), &error);
    if (job->rank == 0)
        REQUIRE_OK(tc_am_op_register(job->ams, "last", "", other, &last, &error), &error);
    am_job_meet(job);
    if (to != job->rank) {
        char both[64];
        snprintf(both, sizeof both, "is 'only %u' with the signature 'sig'", to);
        refused(window, to, mine, &p, TC_E_VERSION, both);
        refused(window, to, mine, &p, TC_E_VERSION, name);
        if (job->rank == 0)
            refused(window, to, last, &p, TC_E_NOT_FOUND, "no operation 5 is registered");
    }
    am_job_meet(job);
    REQUIRE(tc_am_op_close(mine) == TC_OK && tc_am_op_close(last) == TC_OK);
    REQUIRE(tc_am_op_register(job->ams, "", "", other, &mine, &error) == TC_E_INVALID);
    REQUIRE(tc_am_op_register(job->ams, "a\n", "", other, &mine, &error) == TC_E_INVALID);
    REQUIRE(tc_am_op_register(job->ams, "a", "", NULL, &mine, &error) == TC_E_INVALID);
}

/* --- forged messages ---------------------------------------------------------------------- */

static void forged(am_job *job, tc_am_window *window, uint32_t to)
{
    uint64_t bytes[40];
    tc_ep *ep;
    tc_error error;
    const tc_am_params p = am_numbers(numbers, answers, 1, 1);
    REQUIRE_OK(tc_group_ep(job->group, to, &ep, &error), &error);
    for (size_t size = 0; size < sizeof bytes; size += 5) {
        for (size_t i = 0; i < sizeof bytes / 8; i++)
            bytes[i] = (i + size) * 0x9e3779b97f4a7c15u;
        *(unsigned char *)bytes = size % 2 == 0 ? 1 : 7;
        size_t answered = 0;
        tc_status status =
            tc_call(ep, job->sum_fn, bytes, size, NULL, &answered, AM_TIMEOUT_NS, &error);
        REQUIRE(status == TC_E_INVALID || status == TC_E_VERSION || status == TC_E_NOT_FOUND);
        /* No call: nothing can be answered, and the endpoint goes on. */
        while ((status = tc_send(ep, job->sum_fn, bytes, size)) == TC_E_AGAIN)
            (void)tc_wait(job->ctx, TC_MILLISECONDS(1));
        REQUIRE(status == TC_OK);
    }
    REQUIRE_OK(tc_am(window, to, job->sum, &p, &error), &error);
}

/* Units that the origin did not count: the flush finds that the numbers differ, once. */
static void miscounted(am_job *job, tc_am_window *window, uint32_t to)
{
    const struct {
        uint8_t version, kind;
        uint16_t number;
        uint32_t op;
        uint64_t at, bytes;
        uint32_t segments, first, input, output;
        int64_t value;
    } unit = {1, 0x80, 0, 0, 0, 8, 1, 0, 8, 0, 5};
    const tc_am_params p = am_numbers(numbers, NULL, 1, 1);
    tc_error error;
    tc_ep *ep;
    REQUIRE_OK(tc_group_ep(job->group, to, &ep, &error), &error);
    REQUIRE_OK(tc_am_start(window, to, job->sum, &p, NULL, &error), &error);
    tc_status status = tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error);
    REQUIRE(status <= TC_OK); /* forged ones count */
    while ((status = tc_send(ep, job->sum_fn, &unit, sizeof unit)) == TC_E_AGAIN)
        (void)tc_wait(job->ctx, TC_MILLISECONDS(1));
    REQUIRE(status == TC_OK);
    for (int i = 0; i < 3; i++) {
        REQUIRE_OK(tc_am_start(window, to, job->sum, &p, NULL, &error), &error);
        status = tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error);
        /* An active message of a rank to itself is not sent. */
        const bool differs = i == 0 && to != job->rank;
        REQUIRE(status == (differs ? TC_E_REFUSED : TC_OK));
        REQUIRE(!differs || strstr(error.text, "2 of 1 units ran") != NULL);
    }
    am_job_meet(job);
}

static void wrong_handles(am_job *job)
{
    tc_ams_params params = {.group = job->group, .credit_bytes = TC_AM_CREDIT_BYTES_MAX + 1};
    tc_ams *ams;
    tc_am_window *window;
    tc_am_window_params w = {.unordered = 8};
    tc_error error;
    REQUIRE(tc_ams_open(job->ctx, &params, &ams, &error) == TC_E_INVALID);
    params = (tc_ams_params){.group = NULL};
    REQUIRE(tc_ams_open(job->ctx, &params, &ams, &error) == TC_E_INVALID);
    REQUIRE(tc_am_window_open(job->ams, &w, AM_TIMEOUT_NS, &window, &error) == TC_E_INVALID);
    REQUIRE(tc_am_window_close(NULL, 0, NULL) == TC_OK && tc_ams_close(NULL) == TC_OK);
}

void am_faults(am_job *job)
{
    const uint32_t to = (job->rank + 1) % job->ranks;
    for (int goes_on = 0; goes_on < 2; goes_on++) {
        tc_am_window *window = am_job_window(
            job, (tc_am_window_params){.memory = memory,
                                       .bytes = sizeof memory,
                                       .unordered = goes_on ? TC_AM_UNORDERED_SEGMENTS : 0});
        wrong_params(job, window, to);
        wrong_ranges(job, window, to);
        unit_stops(job, window, to, goes_on != 0);
        forged(job, window, to);
        miscounted(job, window, to);
        if (goes_on == 0)
            wrong_operations(job, window, to);
        am_job_meet(job);
        am_job_close(window);
    }
    wrong_handles(job);
}
