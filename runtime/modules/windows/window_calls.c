/* The public functions about windows. A chain is a call of the library's own function.
 * The answer holds the results of all steps. */
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "base/small_copy.h"
#include "context/context_object.h"
#include "modules/windows/window_function.h"
#include "modules/windows/window_request.h"
#include "transfer/frame_out.h"

#include <stdlib.h>
#include <tc/call.h>

/* --- at the owner ------------------------------------------------------------------------- */

tc_status tc_window_open_sized(tc_context *ctx, const tc_window_params *given,
                               size_t params_size, tc_gptr *window_out, tc_error *err)
{
    tc_window_params params;
    tc_ifunc *fn;
    TC_TRY(tci_sized_struct_read(&params, sizeof params, given, params_size, err));
    TC_TRY(tci_window_function(&ctx->core, &fn, err));
    return tci_windows_open(ctx->core.windows, &ctx->core, &params, window_out, err);
}

tc_status tc_window_close(tc_context *ctx, tc_gptr window)
{
    return tci_windows_close(ctx->core.windows, window);
}

void *tc_window_memory(const tc_context *ctx, tc_gptr at)
{
    const tci_window *window = tci_windows_at(ctx->core.windows, at);
    return window != NULL ? window->memory : NULL;
}

/* --- chains ------------------------------------------------------------------------------- */

/* A request up to this size lies behind its chain's answer. A larger one has a block of its
 * own, which is freed when the request was copied. */
#define SMALL_BYTES 512u

/* A chain under way, or about to be sent. Its block ends with the steps that it has, and the
 * answer's bytes behind them. */
typedef struct chain {
    tci_window_blocks *blocks;
    size_t block_bytes;
    tc_window_callback done;
    void *user;
    uint8_t *answer;
    size_t answer_size; /* the most that the answer has */
    uint8_t *bytes;     /* the request */
    size_t size;
    tci_window_request request;
} chain;

static void free_bytes(chain *c)
{
    if (c->size > SMALL_BYTES)
        free(c->bytes);
    c->bytes = NULL;
}

static void free_chain(chain *c)
{
    free_bytes(c);
    tci_window_blocks_give(c->blocks, c, c->block_bytes);
}

static tc_status make_chain(tci_window_blocks *blocks, const tc_window_step *steps,
                            size_t step_size, size_t count, chain **chain_out, tc_error *err)
{
    tci_window_request request;
    TC_TRY(tci_window_request_take(steps, step_size, count, &request, err));
    const size_t answer_size = TCI_WINDOW_ANSWER_BYTES + (size_t)request.result_bytes;
    const size_t size = tci_window_request_bytes(&request);
    const size_t held = offsetof(chain, request) + tci_window_request_held(&request);
    const size_t block_bytes = held + answer_size + (size <= SMALL_BYTES ? size : 0);
    chain *c = tci_window_blocks_take(blocks, block_bytes);
    if (c == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "a chain: out of memory");
    c->blocks = blocks;
    c->block_bytes = block_bytes;
    c->answer = (uint8_t *)c + held;
    c->bytes = size <= SMALL_BYTES ? c->answer + answer_size : malloc(size);
    if (c->bytes == NULL) {
        tci_window_blocks_give(blocks, c, block_bytes);
        return tci_error_set(err, TC_E_NO_MEMORY, "a chain: out of memory");
    }
    c->answer_size = answer_size;
    c->size = size;
    memcpy(&c->request, &request, tci_window_request_held(&request));
    tci_window_request_encode(&request, c->bytes);
    *chain_out = c;
    return TC_OK;
}

/* Checks the answer and copies the results of the steps that were done. */
static tc_status take_answer(const chain *c, size_t size, uint32_t *succeeded_out,
                             tc_error *err)
{
    tci_window_answer answer;
    TC_TRY(tci_window_answer_decode(c->answer, size, &c->request, &answer, err));
    for (unsigned i = 0; i < c->request.count; i++) {
        const tci_window_step *step = &c->request.steps[i];
        const size_t bytes = (size_t)tci_window_step_result(step);
        if (step->result != NULL && (answer.done >> i & 1) != 0)
            tci_small_copy_any(step->result, answer.results, bytes);
        answer.results += bytes;
    }
    *succeeded_out = answer.succeeded;
    return TC_OK;
}

/* A peer that has no windows has refused the function, for which it has no code. */
static tc_status explain(tc_status status, tc_error *err)
{
    if (status != TC_E_NO_SLICE && status != TC_E_UNSUPPORTED)
        return status;
    tci_error_prefix(err, "the peer has no windows");
    if (err != NULL)
        err->status = TC_E_NOT_FOUND;
    return TC_E_NOT_FOUND;
}

/* Opens the function, which the peer is asked for again if it has refused it before: it may
 * have opened a window since. */
static tc_status open_function(tc_ep *ep, tc_ifunc **fn_out, tc_error *err)
{
    TC_TRY(tci_window_function(ep->core, fn_out, err));
    tci_frame_out_retry(ep, *fn_out);
    return TC_OK;
}

tc_status tc_window_chain_sized(tc_ep *ep, const tc_window_step *steps, size_t step_size,
                                size_t count, uint64_t timeout_ns, uint32_t *succeeded_out,
                                tc_error *err)
{
    chain *c;
    tc_ifunc *fn;
    uint32_t succeeded = 0;
    TC_TRY(open_function(ep, &fn, err));
    TC_TRY(make_chain(&ep->core->windows->blocks, steps, step_size, count, &c, err));
    size_t size = c->answer_size;
    tc_status status =
        explain(tc_call(ep, fn, c->bytes, c->size, c->answer, &size, timeout_ns, err), err);
    if (status == TC_OK)
        status = take_answer(c, size, &succeeded, err);
    if (status == TC_OK && succeeded_out != NULL)
        *succeeded_out = succeeded;
    free_chain(c);
    return status;
}

static void chain_ended(void *user, const tc_call_outcome *outcome)
{
    chain *c = user;
    tc_error error; /* not cleared: that would take longer than the rest of this function */
    uint32_t succeeded = 0;
    tc_status status = outcome->status;
    if (status == TC_OK)
        status = take_answer(c, outcome->result_size, &succeeded, &error);
    else
        status = explain(tci_error_set(&error, status, "%s", outcome->text), &error);
    const tc_window_callback done = c->done;
    void *const program = c->user;
    free_chain(c); /* the callback may begin another one */
    if (done != NULL)
        done(program, status, succeeded, status == TC_OK ? "" : error.text);
}

tc_status tc_window_chain_start_sized(tc_ep *ep, const tc_window_step *steps, size_t step_size,
                                      size_t count, const tc_window_start_params *given,
                                      size_t params_size, tc_error *err)
{
    tc_window_start_params params;
    chain *c;
    tc_ifunc *fn;
    TC_TRY(tci_sized_struct_take(&params, sizeof params, given, params_size, err));
    TC_TRY(open_function(ep, &fn, err));
    TC_TRY(make_chain(&ep->core->windows->blocks, steps, step_size, count, &c, err));
    c->done = params.done;
    c->user = params.user;
    const tc_call_params call = {.result = c->answer,
                                 .result_capacity = c->answer_size,
                                 .timeout_ns = params.timeout_ns,
                                 .done = chain_ended,
                                 .user = c};
    tc_status status = tc_call_start(ep, fn, c->bytes, c->size, &call, NULL, err);
    if (status == TC_OK)
        free_bytes(c); /* they were copied */
    else
        free_chain(c);
    return status;
}

/* --- views -------------------------------------------------------------------------------- */

tc_status tc_window_map(tc_ep *ep, tc_gptr window, uint64_t timeout_ns,
                        const tc_window_view **view_out, tc_error *err)
{
    tci_core *core = ep->core;
    uint8_t bytes[TCI_WINDOW_SHARE_BYTES];
    tci_window_share share;
    window.offset = 0;
    tc_window_step step = tc_window_step_of(TC_WINDOW_DESCRIBE, window, sizeof bytes, bytes);
    TC_TRY(tc_window_chain(ep, &step, 1, timeout_ns, NULL, err));
    TC_TRY(tci_window_share_decode(bytes, &share, err));
    return tci_window_views_add(&core->windows->views, &share, view_out, err);
}

tc_status tc_window_unmap(tc_context *ctx, const tc_window_view *view)
{
    return tci_window_views_remove(&ctx->core.windows->views, view);
}
