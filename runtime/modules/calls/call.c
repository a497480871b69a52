/* Calls that wait for their reply. */
#include "context/context_object.h"

#include "base/clock.h"
#include "context/wait.h"
#include "core/sole_user.h"
#include "core/task_turns.h"
#include "core/tasks_ops.h"
#include "modules/calls/calls.h"

#include <stdlib.h>
#include <string.h>
#include <tc/call.h>

/* The call's own deadline comes first. The wait ends this much later if no turn checks it. */
#define MARGIN_NS 100000000ull

typedef struct answer {
    bool is_there;
    tc_status status;
    size_t size;
    tc_error *err;
} answer;

static void take_answer(void *user, const tc_call_outcome *outcome)
{
    answer *a = user;
    a->is_there = true;
    a->status = outcome->status;
    a->size = outcome->result_size;
    if (outcome->status != TC_OK)
        tci_error_set(a->err, outcome->status, "%s", outcome->text);
}

static bool is_answered(void *arg)
{
    const answer *a = arg;
    return a->is_there;
}

/* Waits until the call can be sent: in a task (turns not NULL), by suspending it. */
static tc_status start(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                       const tc_call_params *params, tci_task_turns *turns,
                       uint64_t deadline_ns, tc_call_id *call_out, tc_error *err)
{
    tc_status status, waited;
    while ((status = tc_call_start(ep, fn, source_args, size, params, call_out, err)) ==
           TC_E_AGAIN) {
        waited = turns != NULL ? tci_task_turns_next(turns)
                               : tci_wait_turn(tc_ep_context(ep), deadline_ns);
        if (waited != TC_OK)
            return tci_task_turns_fail(waited, "the call could not be sent in time", err);
    }
    return status;
}

static tc_status call_pinned(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                             const tc_call_params *params, answer *a)
{
    tc_context *ctx = tc_ep_context(ep);
    const tci_awaited answered = {.is_there = is_answered, .arg = a};
    tc_call_id id;
    ctx->idle_since_ns = 0;
    /* The clock is read when the message is on its way. */
    tc_status status = tc_call_start(ep, fn, source_args, size, params, &id, a->err);
    const uint64_t deadline_ns = tci_deadline_after(params->timeout_ns);
    if (status == TC_E_AGAIN)
        status = start(ep, fn, source_args, size, params, NULL, deadline_ns, &id, a->err);
    if (status != TC_OK)
        return status;
    tci_wait_first_turns(ctx, &answered);
    while (!a->is_there) {
        if (tci_wait_turn_for(ctx, tci_deadline_from(deadline_ns, MARGIN_NS), &answered) !=
                TC_OK &&
            !a->is_there) {
            (void)tc_call_cancel(ctx, id);
            return tci_error_set(a->err, TC_E_TIMEOUT, "no answer came in time");
        }
    }
    return a->status;
}

/* --- in a function that waits ------------------------------------------------------------- */

/* Receives the answer of a task's call, in a block with the bytes of the result at its end:
 * other functions use the task's stack until the task goes on. */
typedef struct task_answer {
    tci_awaited_event event;
    tci_core *core;
    tc_status status;
    size_t size;
    char *text; /* of a failure; NULL: no memory for it */
    uint8_t result[];
} task_answer;

static void take_for_task(void *user, const tc_call_outcome *outcome)
{
    task_answer *a = user;
    a->status = outcome->status;
    a->size = outcome->result_size;
    if (outcome->status != TC_OK)
        a->text = strdup(outcome->text);
    a->core->tasks->ops->wake(a->core, &a->event);
}

static tc_status await_in_task(task_answer *a, tc_call_id id, tc_error *err)
{
    tc_status status = a->core->tasks->ops->wait(a->core, &a->event);
    if (status != TC_OK) {
        (void)!tci_calls_cancel(tci_calls_of(a->core), id);
        return tci_task_turns_fail(status, "no answer came in time", err);
    }
    if (a->status != TC_OK)
        tci_error_set(err, a->status, "%s",
                      a->text != NULL ? a->text : tc_status_text(a->status));
    return a->status;
}

static tc_status call_in_task(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                              tc_call_params params, size_t *result_size, tc_error *err)
{
    void *const result = params.result;
    tc_call_id id;
    task_answer *a = malloc(sizeof *a + params.result_capacity);
    if (a == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "call: out of memory");
    *a = (task_answer){.core = ep->core};
    params.result = a->result;
    params.done = take_for_task;
    params.user = a;
    tci_task_turns turns = tci_task_turns_begin(a->core, ep, params.timeout_ns);
    tc_status status =
        start(ep, fn, source_args, size, &params, &turns, turns.deadline_ns, &id, err);
    if (status == TC_OK)
        status = await_in_task(a, id, err);
    if (status == TC_OK && a->size > 0 && params.result_capacity > 0)
        memcpy(result, a->result, a->size);
    if (result_size != NULL && a->event.has_come &&
        (status == TC_OK || status == TC_E_TOO_LARGE))
        *result_size = a->size;
    free(a->text);
    free(a);
    return status;
}

/* --- the calls ---------------------------------------------------------------------------- */

tc_status tc_call(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size, void *result,
                  size_t *result_size, uint64_t timeout_ns, tc_error *err)
{
    answer a = {.err = err};
    const bool may_wait = tci_tasks_may_wait(ep->core);
    if (tci_core_is_busy(ep->core) && !may_wait)
        return tci_error_set(err, TC_E_BUSY,
                             "tc_call waits, so not from inside an ifunc that is not "
                             "TC_THREADED (tc/task.h)");
    const tc_call_params params = {
        .result = result,
        .result_capacity = result != NULL && result_size != NULL ? *result_size : 0,
        .timeout_ns = timeout_ns != 0 ? timeout_ns : ep->core->options.call_timeout,
        .done = take_answer,
        .user = &a};
    if (may_wait)
        return call_in_task(ep, fn, source_args, size, params, result_size, err);
    bool entered = tci_guests_enter_call(tc_ep_context(ep), "tc_call");
    tci_wait_pin(ep);
    tc_status status = call_pinned(ep, fn, source_args, size, &params, &a);
    tci_wait_unpin(ep);
    tci_sole_user_leave(ep->core, entered);
    if (result_size != NULL && (status == TC_OK || (status == TC_E_TOO_LARGE && a.is_there)))
        *result_size = a.size;
    return status;
}

tc_status tc_call_cancel(tc_context *ctx, tc_call_id id)
{
    return tci_calls_cancel(tci_calls_of(&ctx->core), id);
}

size_t tc_call_count(const tc_context *ctx)
{
    return tci_calls_of(&ctx->core)->count;
}

tc_status tc_calls_wait(tc_context *ctx, uint64_t timeout_ns)
{
    tci_task_turns turns = tci_task_turns_begin(&ctx->core, NULL, timeout_ns);
    const bool may_wait = tci_tasks_may_wait(&ctx->core);
    if (tci_core_is_busy(&ctx->core) && !may_wait)
        return TC_E_BUSY;
    ctx->idle_since_ns = 0;
    if (tc_call_count(ctx) > 0 && !may_wait)
        (void)tc_progress(ctx);
    while (tc_call_count(ctx) > 0)
        TC_TRY(may_wait ? tci_task_turns_next(&turns) : tci_wait_turn(ctx, turns.deadline_ns));
    return TC_OK;
}
