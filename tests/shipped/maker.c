#include "maker.h"

#include <tc/entry.h>

/* The parts of a message. */
typedef struct parts {
    const uint8_t *code;
    const char *signature;
    const void *rest;
    size_t rest_bytes;
} parts;

static int take_apart(const maker_order *order, size_t size, parts *out)
{
    const uint8_t *at = (const uint8_t *)(order + 1);
    if (size < sizeof *order || order->code_bytes > size - sizeof *order ||
        order->signature_bytes > size - sizeof *order - order->code_bytes)
        return 0;
    out->code = at;
    out->signature = (const char *)(at + order->code_bytes);
    out->rest = at + order->code_bytes + order->signature_bytes;
    out->rest_bytes = size - sizeof *order - order->code_bytes - order->signature_bytes;
    return 1;
}

static tc_status open_code(const maker_order *order, const parts *p, tc_ifunc **fn_out,
                           tc_error *err)
{
    tc_context *ctx = tc_ep_context(tc_self_endpoint());
    const tc_bitcode slice = {order->triple, p->code, order->code_bytes};
    if (order->task == MAKER_BITCODE)
        return tc_ifunc_open_code(
            ctx, &(tc_code){.name = order->name, .slices = &slice, .slice_count = 1}, fn_out,
            err);
    if (order->signature_bytes > 0)
        return tc_ifunc_open_code(ctx,
                                  &(tc_code){.bytes = p->code,
                                             .size = order->code_bytes,
                                             .signature = p->signature,
                                             .signature_size = order->signature_bytes},
                                  fn_out, err);
    return tc_ifunc_open_code(ctx, &(tc_code){.bytes = p->code, .size = order->code_bytes},
                              fn_out, err);
}

static tc_status hand_on(const maker_order *order, const parts *p, tc_ifunc *fn)
{
    const tc_call_params params = {.timeout_ns = 0};
    tc_ep *ep;
    tc_error err;
    if (order->task == MAKER_SEND)
        return tc_group_send(tc_self_group(), order->rank, fn, p->rest, p->rest_bytes);
    if (order->task != MAKER_CALL)
        return tc_forward_function(fn, order->rank, p->rest, p->rest_bytes);
    tc_status status = tc_group_ep(tc_self_group(), order->rank, &ep, &err);
    return status != TC_OK ? status
                           : tc_call_start(ep, fn, p->rest, p->rest_bytes, &params, NULL, &err);
}

static void make(const maker_order *order, const parts *p)
{
    tc_ifunc *fn;
    tc_error err;
    tc_status status = open_code(order, p, &fn, &err);
    if (status != TC_OK) {
        (void)tc_reply_error(status, err.text);
        return;
    }
    status = hand_on(order, p, fn);
    tc_ifunc_close(fn);
    if (order->task == MAKER_SEND || order->task == MAKER_CALL)
        (void)tc_reply(&status, sizeof status);
}

static void wait_for_all(void)
{
    tc_ep *ep = tc_self_endpoint(), *other;
    tc_ifunc *self = tc_self_ifunc();
    tc_error err;
    const int32_t said[MAKER_WAITS] = {
        tc_call(ep, self, "", 0, NULL, NULL, 1, &err),
        tc_send_wait(ep, self, "", 0, 1, &err),
        tc_ep_connect(tc_ep_context(ep), "127.0.0.1:1", 1, &other, &err),
        tc_ep_flush(ep, 1, &err),
        tc_ep_prepare(ep, self, 1, &err),
        tc_group_barrier(tc_self_group(), 1, &err)};
    (void)tc_progress(tc_ep_context(ep));
    (void)tc_reply(said, sizeof said);
}

void maker_main(void *payload, size_t payload_size, void *target_args)
{
    const maker_order *order = payload;
    parts p;
    (void)target_args;
    if (!take_apart(order, payload_size, &p))
        (void)tc_reply_error(TC_E_CORRUPT, "an order whose sizes are wrong");
    else if (order->task == MAKER_WAIT)
        wait_for_all();
    else if (order->task == MAKER_NOTHING) {
        const int32_t said = tc_forward_function(NULL, order->rank, NULL, 0);
        (void)tc_reply(&said, sizeof said);
    } else
        make(order, &p);
}
