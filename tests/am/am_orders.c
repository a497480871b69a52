/* The order of active messages, with credit for few. Units of 256 bytes, 1,024 under way. */
#include "am_job.h"

enum { MANY = 400, LARGE = 900 };

/* The window's words: the next number that is expected; numbers that came out of order. */
typedef struct order_state {
    int64_t next;
    int64_t early;
} order_state;

static void note(tc_am_unit *unit)
{
    order_state *state = unit->persistent;
    int64_t number;
    memcpy(&number, unit->input, sizeof number);
    state->early += number != state->next;
    state->next = number + 1;
}

typedef struct order_job {
    am_job *job;
    tc_am_op *note[2];
    unsigned char input[LARGE];
} order_job;

/* Sends numbers in large and small messages by turns; `ops` operations by turns. */
static void send_numbers(order_job *o, tc_am_window *window, uint32_t to, int ops)
{
    static int64_t inputs[MANY][LARGE / 8 + 1];
    tc_error error;
    for (int64_t i = 0; i < MANY; i++) {
        inputs[i][0] = i;
        const tc_am_params p = {.input = inputs[i],
                                .input_layout = {.bytes = i % 2 == 0 ? LARGE : 8},
                                .segments = 1,
                                .bytes = sizeof(order_state)};
        tc_status status;
        while ((status = tc_am_start(window, to, o->note[i % ops], &p, NULL, &error)) ==
               TC_E_AGAIN)
            (void)tc_wait(o->job->ctx, TC_MILLISECONDS(1));
        REQUIRE_OK(status, &error);
    }
    REQUIRE_OK(tc_am_flush(window, TC_RANK_NONE, AM_TIMEOUT_NS, &error), &error);
}

/* Returns how many active messages went past others. */
static uint64_t try_order(order_job *o, uint32_t unordered, int ops, bool must_keep)
{
    tc_am_counts before, after;
    am_job *job = o->job;
    tc_am_window *window = am_job_window(
        job, (tc_am_window_params){
                 .bytes = sizeof(order_state), .shared = 1, .unordered = unordered});
    const order_state *mine = tc_am_window_memory(window);
    tc_am_count(job->ams, &before, sizeof before);
    if (job->rank == 0)
        send_numbers(o, window, job->ranks - 1, ops);
    tc_am_count(job->ams, &after, sizeof after);
    am_job_meet(job);
    if (job->rank == job->ranks - 1)
        REQUIRE(mine->next > 0 && (!must_keep || (mine->early == 0 && mine->next == MANY)));
    am_job_close(window);
    return after.overtakes - before.overtakes;
}

void am_orders(am_job *job)
{
    static order_job o;
    const uint32_t same = TC_AM_UNORDERED_SAME_OP, others = TC_AM_UNORDERED_OTHER_OP;
    tc_error error;
    o.job = job;
    REQUIRE_OK(tc_am_op_register(job->ams, "note", "", note, &o.note[0], &error), &error);
    REQUIRE_OK(tc_am_op_register(job->ams, "note 2", "", note, &o.note[1], &error), &error);
    const bool sends = job->rank == 0 && job->ranks > 1;
    REQUIRE(try_order(&o, 0, 1, true) == 0);
    REQUIRE(try_order(&o, 0, 2, true) == 0);
    REQUIRE(try_order(&o, others, 1, true) == 0);
    REQUIRE(try_order(&o, same, 1, false) > 0 || !sends);
    /* Large and small ones are of different operations. */
    REQUIRE(try_order(&o, others, 2, false) > 0 || !sends);
    REQUIRE(try_order(&o, same | others, 2, false) > 0 || !sends);
    REQUIRE(tc_am_op_close(o.note[0]) == TC_OK && tc_am_op_close(o.note[1]) == TC_OK);
}
