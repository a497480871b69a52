/* All ranks send to all, of all sizes, at once: the sums of all that was sent are in the
 * windows, and each output is right. */
#include "am_job.h"

enum { AT_ONCE = 40, NUMBERS = 64, SEGMENTS = 60 };

typedef struct storm {
    am_job *job;
    tc_am_window *windows[2];
    int64_t sent[2][64]; /* to each rank, by window */
    uint64_t random;
    uint32_t answered;
} storm;

typedef struct storm_message {
    int64_t input[NUMBERS * SEGMENTS], output[NUMBERS * SEGMENTS];
    tc_am_request request;
    tc_am_params params;
    bool is_echo;
} storm_message;

static uint64_t draw(storm *s, uint64_t below)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (s->random >> 33) % below;
}

static void start(storm *s, storm_message *m)
{
    const uint32_t segments = (uint32_t)draw(s, SEGMENTS) + 1, which = (uint32_t)draw(s, 2);
    const uint32_t to = (uint32_t)draw(s, s->job->ranks);
    tc_error error;
    m->is_echo = draw(s, 3) == 0;
    const uint32_t numbers = m->is_echo ? (uint32_t)draw(s, NUMBERS) + 1 : 1;
    m->params = am_numbers(m->input, draw(s, 4) > 0 ? m->output : NULL, numbers, segments);
    m->params.unit = (uint32_t)draw(s, 20);
    m->is_echo = m->is_echo && m->params.output != NULL;
    if (!m->is_echo)
        m->params.input_layout.bytes = 8;
    if (m->params.output != NULL && !m->is_echo)
        m->params.output_layout.bytes = 8;
    m->params.bytes = m->is_echo ? 0 : 8;
    for (uint32_t i = 0; i < numbers * segments; i++)
        m->input[i] = (int64_t)draw(s, 1000);
    memset(m->output, 0, sizeof m->output);
    for (uint32_t i = 0; !m->is_echo && i < segments; i++)
        s->sent[which][to] += m->input[i];
    tc_am_op *ops[] = {s->job->add, s->job->sum};
    tc_am_op *op = m->is_echo ? s->job->echo : ops[which];
    tc_status status;
    while ((status = tc_am_start(s->windows[which], to, op, &m->params, &m->request, &error)) ==
           TC_E_AGAIN)
        (void)tc_wait(s->job->ctx, TC_MILLISECONDS(1));
    REQUIRE_OK(status, &error);
}

static void finish(storm *s, storm_message *m)
{
    tc_error error;
    REQUIRE_OK(tc_am_wait(s->job->ams, &m->request, AM_TIMEOUT_NS, &error), &error);
    REQUIRE(m->request.segments == m->params.segments);
    const size_t bytes = m->params.segments * m->params.output_layout.bytes;
    REQUIRE(!m->is_echo || memcmp(m->input, m->output, bytes) == 0);
}

void am_storm(am_job *job, uint32_t rounds)
{
    static storm s;
    static storm_message messages[AT_ONCE];
    static uint64_t own_memory[8];
    tc_error error;
    int64_t sums[2];
    s.job = job;
    s.random = job->rank + 77;
    s.windows[0] =
        am_job_window(job, (tc_am_window_params){.bytes = 64, .shared = 1, .concurrent = 1});
    s.windows[1] = am_job_window(job, (tc_am_window_params){.memory = own_memory,
                                                            .bytes = sizeof own_memory,
                                                            .unordered = job->rank % 4});
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t i = 0; i < AT_ONCE; i++)
            start(&s, &messages[i]);
        for (uint32_t i = 0; i < AT_ONCE; i++)
            finish(&s, &messages[i]);
    }
    am_job_meet(job);
    /* Each rank adds up all that was sent to it. */
    for (int which = 0; which < 2; which++)
        sums[which] = *(int64_t *)tc_am_window_memory(s.windows[which]);
    am_job_meet(job);
    memset(tc_am_window_memory(s.windows[0]), 0, 64);
    am_job_meet(job);
    for (int which = 0; which < 2; which++) {
        for (uint32_t to = 0; to < job->ranks; to++) {
            tc_am_params params = am_numbers(&s.sent[which][to], NULL, 1, 1);
            params.at = which == 0 ? 8 : 16;
            REQUIRE_OK(tc_am(s.windows[0], to, job->add, &params, &error), &error);
        }
    }
    am_job_meet(job);
    const int64_t *total = tc_am_window_memory(s.windows[0]);
    REQUIRE(total[1] == sums[0] && total[2] == sums[1]);
    am_job_meet(job);
    am_job_close(s.windows[1]);
    am_job_close(s.windows[0]);
}
