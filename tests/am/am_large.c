/* Segments that are larger than a unit may be, through attached memory that all origins share.
 * */
#include "am_job.h"

enum { MEGABYTE = 1 << 20, SEGMENTS = 5 };

static unsigned char input[SEGMENTS * MEGABYTE + 4096], output[SEGMENTS * MEGABYTE + 4096];
static uint64_t memory[64], buffers[2][(3 * MEGABYTE + 4096) / 8];

static tc_am_params large(uint32_t in, uint32_t out, uint32_t segments)
{
    return (tc_am_params){.input = input,
                          .output = output,
                          .input_layout = {.bytes = in},
                          .output_layout = {.bytes = out},
                          .segments = segments};
}

static void check_echo(const tc_am_params *p)
{
    const uint64_t in = p->input_layout.bytes, out = p->output_layout.bytes;
    for (uint32_t s = 0; s < p->segments; s++)
        REQUIRE(memcmp(input + s * in, output + s * out, in < out ? in : out) == 0);
}

static void echo_all(am_job *job, tc_am_window *window)
{
    const uint32_t sizes[][2] = {{MEGABYTE, MEGABYTE},
                                 {TC_AM_UNIT_BYTES_MAX + 1, 8},
                                 {16, TC_AM_UNIT_BYTES_MAX + 1},
                                 {777777, 333333}};
    tc_error error;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (uint32_t to = 0; to < job->ranks; to++) {
            const tc_am_params p = large(sizes[i][0], sizes[i][1], SEGMENTS);
            memset(output, 0, sizeof output);
            REQUIRE_OK(tc_am(window, to, job->echo, &p, &error), &error);
            check_echo(&p);
        }
    }
    /* Blocks here are one piece there. */
    tc_am_params rows = large(0, MEGABYTE, 2);
    rows.input_layout = (tc_am_layout){.count = 512, .block = 2048, .stride = 4096};
    REQUIRE_OK(tc_am(window, (job->rank + 1) % job->ranks, job->echo, &rows, &error), &error);
    for (size_t row = 0; row < 512; row++)
        REQUIRE(memcmp(input + row * 4096, output + row * 2048, 2048) == 0);
    rows.description = "d";
    rows.description_bytes = 1;
    REQUIRE_OK(tc_am(window, (job->rank + 1) % job->ranks, job->echo, &rows, &error), &error);
}

/* Small ones that are started behind large ones take effect behind them. */
static void keep_order(am_job *job, tc_am_window *window)
{
    enum { MANY = 30 };
    static int64_t small[MANY], sums[MANY];
    const uint32_t to = (job->rank + 1) % job->ranks;
    tc_am_counts counts;
    tc_error error;
    memset(memory, 0, sizeof memory);
    am_job_meet(job);
    for (int i = 0; i < MANY; i++) {
        tc_am_params p = large(300000, 300000, 1);
        small[i] = 1;
        tc_am_params one = am_numbers(&small[i], &sums[i], 1, 1);
        REQUIRE_OK(tc_am_start(window, to, job->echo, &p, NULL, &error), &error);
        REQUIRE_OK(tc_am_start(window, to, job->add, &one, NULL, &error), &error);
    }
    REQUIRE_OK(tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error), &error);
    for (int i = 0; i < MANY; i++)
        REQUIRE(sums[i] == i + 1);
    tc_am_count(job->ams, &counts, sizeof counts);
    REQUIRE(job->ranks == 1 || counts.staged >= MANY);
    am_job_meet(job);
}

static void refuse(am_job *job, tc_am_window *window)
{
    const uint32_t to = (job->rank + 1) % job->ranks;
    tc_error error;
    tc_am_params p = large(2 * MEGABYTE, 2 * MEGABYTE, 1);
    if (to != job->rank) {
        REQUIRE(tc_am(window, to, job->echo, &p, &error) == TC_E_TOO_LARGE);
        REQUIRE(strstr(error.text, "are attached") != NULL);
    }
    p = large(TC_AM_SEGMENT_BYTES_MAX, TC_AM_SEGMENT_BYTES_MAX + 1u, 1);
    REQUIRE(tc_am(window, to, job->echo, &p, &error) == TC_E_TOO_LARGE);
    p = large(MEGABYTE, MEGABYTE, 4);
    p.unit = 2;
    REQUIRE(tc_am(window, to, job->echo, &p, &error) == TC_E_TOO_LARGE);
    /* A failure in attached memory is one as any. */
    p = large(MEGABYTE, 8, 3);
    p.bytes = 8;
    memset(input, 0xff, 16);
    if (to != job->rank) {
        REQUIRE(tc_am(window, to, job->stop, &p, &error) == TC_E_IO);
        p.at = sizeof memory;
        REQUIRE(tc_am(window, to, job->stop, &p, &error) == TC_E_INVALID);
    }
    am_job_meet(job);
}

static void attach_and_detach(am_job *job, tc_am_window *window)
{
    tc_error error;
    const uint32_t to = (job->rank + 1) % job->ranks;
    const tc_am_params p = large(MEGABYTE, 8, 1);
    if (to != job->rank)
        REQUIRE(tc_am(window, to, job->echo, &p, &error) == TC_E_TOO_LARGE);
    am_job_meet(job);
    REQUIRE(tc_am_window_detach(window, buffers[0]) == TC_E_NOT_FOUND);
    REQUIRE(tc_am_window_attach(window, NULL, 8, &error) == TC_E_INVALID);
    REQUIRE(tc_am_window_attach(window, (char *)buffers[0] + 1, 8, &error) == TC_E_INVALID);
    REQUIRE_OK(tc_am_window_attach(window, buffers[0], sizeof buffers[0], &error), &error);
    REQUIRE(tc_am_window_detach(window, buffers[1]) == TC_E_NOT_FOUND);
    for (uint32_t i = 1; i < TC_AM_BUFFERS_MAX; i++)
        REQUIRE_OK(tc_am_window_attach(window, buffers[1] + i, 8, &error), &error);
    REQUIRE(tc_am_window_attach(window, buffers[1], 8, &error) == TC_E_TOO_LARGE);
    for (uint32_t i = 1; i < TC_AM_BUFFERS_MAX; i++)
        REQUIRE(tc_am_window_detach(window, buffers[1] + i) == TC_OK);
    am_job_meet(job);
}

void am_large(am_job *job)
{
    tc_error error;
    for (size_t i = 0; i < sizeof input; i++)
        input[i] = (unsigned char)(i * 2654435761u >> 13);
    tc_am_window *window =
        am_job_window(job, (tc_am_window_params){.memory = memory, .bytes = sizeof memory});
    attach_and_detach(job, window);
    echo_all(job, window);
    keep_order(job, window);
    refuse(job, window);
    tc_status status = TC_E_BUSY;
    for (int i = 0; i < 3000 && status == TC_E_BUSY; i++) {
        status = tc_am_window_detach(window, buffers[0]);
        (void)tc_wait(job->ctx, TC_MILLISECONDS(10));
    }
    REQUIRE(status == TC_OK);
    REQUIRE_OK(tc_am_window_attach(window, buffers[1], sizeof buffers[1], &error), &error);
    am_job_meet(job);
    echo_all(job, window);
    am_job_meet(job);
    am_job_close(window);
}
