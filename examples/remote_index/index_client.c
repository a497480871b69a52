#include "index_client.h"

#include <poll.h>
#include <stdio.h>
#include <tc/advanced.h>

#define TIMEOUT_NS TC_SECONDS(60)

/* --- a slower network --------------------------------------------------------------------- */

/* Waits until something has come, without running it. Returns whether it has: deadlines want
 * tc_progress once a second. */
static bool has_arrived(tc_context *ctx)
{
    struct pollfd arrival = {.fd = tc_context_fd(ctx), .events = POLLIN};
    if (tc_context_arm(ctx) != TC_OK)
        return true;
    return poll(&arrival, 1, 1000) > 0;
}

void index_step(index_client *c)
{
    const struct timespec delay = {(time_t)(c->delay_ns / 1000000000u),
                                   (long)(c->delay_ns % 1000000000u)};
    if (has_arrived(c->ctx))
        (void)nanosleep(&delay, NULL);
    while (tc_progress(c->ctx) > 0)
        ;
    tc_progress(c->ctx); /* a task that has its answer now goes on */
}

/* --- operations and calls ----------------------------------------------------------------- */

/* An operation or a call that is under way. */
typedef struct pending {
    index_client *client;
    tc_status status;
    bool is_over;
    size_t size;
} pending;

static void end(pending *p, tc_status status, const char *text)
{
    p->status = status;
    p->is_over = true;
    if (status != TC_OK) {
        p->client->err.status = status;
        (void)snprintf(p->client->err.text, sizeof p->client->err.text, "%s", text);
    }
}

static void end_chain(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    (void)succeeded;
    end(user, status, text);
}

static void end_call(void *user, const tc_call_outcome *outcome)
{
    pending *p = user;
    p->size = outcome->result_size;
    end(p, outcome->status, outcome->text);
}

/* Waits for its end. It ends at its deadline at the latest. */
static tc_status await(pending *p)
{
    while (!p->is_over)
        index_step(p->client);
    return p->status;
}

tc_status index_chain(index_client *c, uint32_t rank, const tc_window_step *steps, size_t count)
{
    pending p = {.client = c};
    const tc_window_start_params params = {
        .timeout_ns = TIMEOUT_NS, .done = end_chain, .user = &p};
    tc_ep *ep;
    tc_status status = tc_group_ep(c->group, rank, &ep, &c->err);
    if (status != TC_OK)
        return status;
    if (c->delay_ns == 0)
        return tc_window_chain(ep, steps, count, TIMEOUT_NS, NULL, &c->err);
    while ((status = tc_window_chain_start(ep, steps, count, &params, &c->err)) == TC_E_AGAIN)
        index_step(c);
    return status == TC_OK ? await(&p) : status;
}

tc_status index_get(index_client *c, uint32_t rank, uint64_t offset, void *result,
                    uint64_t size)
{
    const tc_window_step step =
        tc_window_step_get(tc_gptr_add(c->windows[rank], offset), result, size);
    return index_chain(c, rank, &step, 1);
}

tc_status index_call(index_client *c, uint32_t rank, int function, const void *question,
                     size_t question_size, void *result, size_t *size_io)
{
    pending p = {.client = c};
    const tc_call_params params = {.result = result,
                                   .result_capacity = *size_io,
                                   .timeout_ns = TIMEOUT_NS,
                                   .done = end_call,
                                   .user = &p};
    tc_ep *ep;
    tc_status status = tc_group_ep(c->group, rank, &ep, &c->err);
    if (status != TC_OK)
        return status;
    if (c->delay_ns == 0)
        return tc_call(ep, c->functions[function], question, question_size, result, size_io,
                       TIMEOUT_NS, &c->err);
    while ((status = tc_call_start(ep, c->functions[function], question, question_size, &params,
                                   NULL, &c->err)) == TC_E_AGAIN)
        index_step(c);
    if (status == TC_OK)
        status = await(&p);
    *size_io = p.size;
    return status;
}
