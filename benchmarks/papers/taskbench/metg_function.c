/* Task graphs by functions: a message of metg_inputs stores outputs in the inbox of another
 * rank, for its tasks to read. A rank waits for messages only when no task is left that could
 * run without them. */
#include "metg_steps.h"

static bool begin(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    (void)r, (void)plan, (void)step;
    return true;
}

static inline void poll(metg_rank *r, uint64_t turn)
{
    (void)turn;
    (void)tc_progress(r->ctx);
}

static bool look(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    (void)plan, (void)step;
    (void)tc_progress(r->ctx);
    return true;
}

static bool await(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    return metg_steps_await(r, plan, step, poll);
}

static bool send_message(metg_rank *r, uint32_t peer, const metg_output *outputs, size_t size)
{
    tc_error err = {TC_OK, ""};
    tc_ep *ep = r->peers[peer].ep;
    const tc_status status = tc_send(ep, r->inputs, outputs, size);
    if (status == TC_OK)
        return true;
    if (status == TC_E_AGAIN)
        return metg_rank_check(
            tc_send_wait(ep, r->inputs, outputs, size, METG_TIMEOUT_NS, &err), &err,
            "metg_inputs");
    (void)tc_send_error(r->ctx, &err);
    return metg_rank_check(status, &err, "metg_inputs");
}

/* One message for each other rank. */
static bool send_gathered(metg_rank *r, const metg_plan *next, uint32_t step)
{
    for (uint32_t i = 0; i < next->exchange_count; i++) {
        const metg_exchange *with = &next->exchanges[i];
        if (!send_message(r, with->peer, metg_rank_output(r, step, with->first),
                          with->count * r->params.output_bytes))
            return false;
    }
    return true;
}

/* One for each dependence. */
static bool send_singly(metg_rank *r, const metg_plan *next, uint32_t step)
{
    for (uint32_t i = 0; i < next->exchange_count; i++) {
        const metg_exchange *with = &next->exchanges[i];
        for (uint32_t k = 0; k < with->count; k++) {
            if (!send_message(r, with->peer, metg_rank_output(r, step, with->first + k),
                              r->params.output_bytes))
                return false;
        }
    }
    return true;
}

bool metg_function_run(metg_rank *r)
{
    static const metg_moves moves = {begin, look, await, send_gathered};
    return metg_steps_run(r, &moves);
}

bool metg_function_run_single(metg_rank *r)
{
    static const metg_moves moves = {begin, look, await, send_singly};
    return metg_steps_run(r, &moves);
}
