/* Waits in a flush, a barrier, a send, or for started calls. */
#include "wayfarer.h"

#include <stdlib.h>
#include <string.h>
#include <tc/call.h>
#include <tc/context.h>
#include <tc/endpoint.h>
#include <tc/entry.h>
#include <tc/group.h>
#include <tc/task.h>

static uint32_t counted; /* by messages here */

static tc_status flush(const wayfarer_order *order, tc_error *error)
{
    const wayfarer_order one = {.kind = WAYFARER_COUNT};
    tc_ep *ep = tc_self_endpoint();
    for (uint32_t i = 0; i < order->count; i++) {
        tc_status status =
            tc_send_wait(ep, tc_self_ifunc(), &one, sizeof one, order->ns, error);
        if (status != TC_OK)
            return status;
    }
    return tc_ep_flush(ep, order->ns, error);
}

static tc_status call(const wayfarer_order *order, tc_error *error)
{
    const wayfarer_order one = {.kind = WAYFARER_COUNT};
    const tc_call_params params = {.timeout_ns = order->ns};
    tc_ep *ep = tc_self_endpoint();
    for (uint32_t i = 0; i < order->count; i++) {
        tc_status status =
            tc_call_start(ep, tc_self_ifunc(), &one, sizeof one, &params, NULL, error);
        if (status != TC_OK)
            return status;
    }
    return tc_calls_wait(tc_ep_context(ep), order->ns);
}

static tc_status send(const wayfarer_order *order, tc_error *error)
{
    tc_ep *ep = tc_self_endpoint();
    const wayfarer_order one = {.kind = WAYFARER_COUNT};
    void *bytes = calloc(1, order->count);
    if (bytes == NULL)
        return TC_E_NO_MEMORY;
    memcpy(bytes, &one, sizeof one);
    tc_status status = tc_send_wait(ep, tc_self_ifunc(), bytes, order->count, order->ns, error);
    if (status == TC_OK)
        status = tc_ep_flush(ep, order->ns, error);
    free(bytes);
    return status;
}

/* Returns the reason of the refusal. */
static tc_status be_refused(const wayfarer_order *order, tc_error *error)
{
    tc_ep *ep = tc_self_endpoint();
    tc_ifunc *fn;
    tc_status status = tc_ifunc_open(tc_ep_context(ep), "unbound", &fn, error);
    if (status == TC_OK)
        status = tc_send_wait(ep, fn, NULL, 0, order->ns, error);
    if (status == TC_OK)
        status = tc_ep_flush(ep, order->ns, error);
    return status == TC_OK && tc_ep_refusal(ep, error) > 0 ? error->status : status;
}

/* Asks the sender for its count. */
static uint32_t read_back(void)
{
    const wayfarer_order read = {.kind = WAYFARER_READ};
    wayfarer_answer answer = {0};
    size_t size = sizeof answer;
    tc_error error;
    tc_status status = tc_call(tc_self_endpoint(), tc_self_ifunc(), &read, sizeof read, &answer,
                               &size, 0, &error);
    return status == TC_OK ? answer.count : UINT32_MAX;
}

TC_THREADED(wayfarer)(void *payload, size_t size, void *target_args)
{
    const wayfarer_order *order = payload;
    wayfarer_answer answer = {0};
    tc_error error = {0};
    tc_status status = TC_OK;
    (void)target_args;
    if (size < sizeof *order) {
        tc_self_fail(TC_E_INVALID, "no order");
        return;
    }
    if (order->kind == WAYFARER_COUNT)
        counted++;
    else if (order->kind == WAYFARER_FLUSH)
        status = flush(order, &error);
    else if (order->kind == WAYFARER_CALLS)
        status = call(order, &error);
    else if (order->kind == WAYFARER_SEND)
        status = send(order, &error);
    else if (order->kind == WAYFARER_REFUSED)
        status = be_refused(order, &error);
    else if (order->kind == WAYFARER_BARRIER)
        status = tc_group_barrier(tc_self_group(), order->ns, &error);
    answer.status = status;
    answer.count = order->kind <= WAYFARER_READ ? counted : read_back();
    strncpy(answer.text, error.text, sizeof answer.text - 1);
    (void)tc_reply(&answer, sizeof answer);
}
