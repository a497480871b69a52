/* The functions of programs: open and close, windows, active messages, waits. */
#include "am_here.h"
#include "am_marks.h"
#include "am_ops.h"
#include "am_outcome.h"
#include "am_peer.h"
#include "am_target.h"
#include "am_units.h"
#include "am_waits.h"
#include "am_windows.h"

#include "base/error_text.h"
#include "base/sized_struct.h"

#include <assert.h>
#include <stdlib.h>
#include <tc/advanced.h>

#define WINDOW_TIMEOUT_NS TC_SECONDS(60)
#define SMALL_PAYLOAD 4096u /* bytes of one that tc_am has on its stack */

/* An archive as docs/archive-format.md has it: the function tc_am with one slice, of a form and
 * a target that no process selects. Its content id is that of the protocol between ranks, so a
 * byte changes only together with the meaning of headers. */
static const uint8_t archive[] = {0x54, 0x43, 0x41, 0x01, 0x00, 0x00, 0x19, 0x74, 0x63, 0x5f,
                                  0x61, 0x6d, 0x00, 0x01, 0x01, 0x00, 0x61, 0x6d, 0x2d, 0x6e,
                                  0x6f, 0x6e, 0x65, 0x00, 0xff, 0x00, 0x00, 0x00, 0x00, 0x01,
                                  0x00, 0x00, 0xcb, 0xf4, 0x47, 0x7d, 0xb9, 0xae, 0x92, 0xbf};

/* --- open and close ----------------------------------------------------------------------- */

static tc_status read_params(tc_context *ctx, const tc_ams_params *given, size_t given_size,
                             tc_ams_params *params_out, tc_error *err)
{
    TC_TRY(tci_sized_struct_read(params_out, sizeof *params_out, given, given_size, err));
    if (params_out->group == NULL || tc_group_context(params_out->group) != ctx)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_ams_params: no group, or a group of another context");
    if (params_out->unit_bytes > TC_AM_UNIT_BYTES_MAX ||
        params_out->credit_bytes > TC_AM_CREDIT_BYTES_MAX)
        return tci_error_set(err, TC_E_INVALID,
                             "tc_ams_params: units of %u bytes, credit of %u, expected at most "
                             "%u and %u",
                             params_out->unit_bytes, params_out->credit_bytes,
                             TC_AM_UNIT_BYTES_MAX, TC_AM_CREDIT_BYTES_MAX);
    return TC_OK;
}

static tc_status attach(tc_ams *ams, tc_error *err)
{
    const tc_code code = {.bytes = archive, .size = sizeof archive};
    TC_TRY(tc_ifunc_open_code(ams->context, &code, &ams->runtime, err));
    tc_status status = tc_ifunc_use_local(ams->runtime, tca_target_main, err);
    if (status == TC_OK)
        status =
            tc_context_publish(ams->context, TC_AM_NODE, &ams->node, sizeof ams->node, err);
    if (status != TC_OK)
        tc_ifunc_close(ams->runtime);
    return status;
}

static void release(tc_ams *ams)
{
    free(ams->spread_input);
    free(ams->spread_output);
    free(ams->payload);
    free(ams->peers);
    free(ams);
}

tc_status tc_ams_open_sized(tc_context *ctx, const tc_ams_params *given, size_t given_size,
                            tc_ams **ams_out, tc_error *err)
{
    tc_ams_params params;
    TC_TRY(read_params(ctx, given, given_size, &params, err));
    tc_ams *ams = calloc(1, sizeof *ams);
    if (ams == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "active messages of %zu bytes", sizeof *ams);
    ams->context = ctx;
    ams->group = params.group;
    ams->rank = tc_group_rank(params.group);
    ams->ranks = tc_group_size(params.group);
    ams->unit_bytes = params.unit_bytes;
    ams->credit_bytes = params.credit_bytes;
    ams->peers = calloc(ams->ranks, sizeof *ams->peers);
    ams->payload = malloc(TCA_HEAD_BYTES_MAX + TC_AM_UNIT_BYTES_MAX);
    tca_target_fill(&ams->node);
    tc_status status =
        ams->peers != NULL && ams->payload != NULL
            ? attach(ams, err)
            : tci_error_set(err, TC_E_NO_MEMORY, "active messages with %u ranks", ams->ranks);
    if (status != TC_OK) {
        release(ams);
        return status;
    }
    *ams_out = ams;
    return TC_OK;
}

static void close_window(tc_am_window *window)
{
    tca_marks_forget(window);
    tca_window_free(window);
}

tc_status tc_ams_close(tc_ams *ams)
{
    if (ams == NULL)
        return TC_OK;
    if (ams->callbacks == 0)
        tca_units_retry(ams); /* those that are only counted end with a mark */
    if (ams->under_way > 0 || ams->callbacks > 0 || ams->is_running || ams->waiters != NULL)
        return TC_E_BUSY;
    TC_TRY(tc_context_publish(ams->context, TC_AM_NODE, NULL, 0, NULL));
    for (uint32_t i = 0; i < TCA_WINDOWS_MAX; i++) {
        if (ams->windows[i] != NULL)
            close_window(ams->windows[i]);
    }
    tca_ops_free(ams);
    tca_units_free(ams);
    tc_ifunc_close(ams->runtime);
    release(ams);
    return TC_OK;
}

void tc_am_count(const tc_ams *ams, tc_am_counts *counts, size_t counts_size)
{
    tci_sized_struct_fill(counts, counts_size, &ams->counts, sizeof ams->counts);
}

/* --- windows ------------------------------------------------------------------------------ */

tc_status tc_am_window_open_sized(tc_ams *ams, const tc_am_window_params *given,
                                  size_t given_size, uint64_t timeout_ns,
                                  tc_am_window **window_out, tc_error *err)
{
    const uint32_t orders =
        TC_AM_UNORDERED_SAME_OP | TC_AM_UNORDERED_OTHER_OP | TC_AM_UNORDERED_SEGMENTS;
    tc_am_window_params params;
    tc_am_window *window;
    TC_TRY(tci_sized_struct_read(&params, sizeof params, given, given_size, err));
    if ((params.unordered & ~orders) != 0 || params.shared > 1)
        return tci_error_set(err, TC_E_INVALID, "tc_am_window_params: unordered %#x, shared %u",
                             params.unordered, params.shared);
    TC_TRY(tca_window_make(ams, &params, &window, err));
    tc_status status =
        tc_group_barrier(ams->group, timeout_ns > 0 ? timeout_ns : WINDOW_TIMEOUT_NS, err);
    if (status != TC_OK) {
        close_window(window);
        return status;
    }
    *window_out = window;
    return TC_OK;
}

tc_status tc_am_window_close(tc_am_window *window, uint64_t timeout_ns, tc_error *err)
{
    if (window == NULL)
        return TC_OK;
    tc_ams *ams = window->ams;
    const uint64_t limit = timeout_ns > 0 ? timeout_ns : WINDOW_TIMEOUT_NS;
    if (tc_self_endpoint() != NULL || ams->callbacks > 0)
        return tci_error_set(err, TC_E_BUSY, "a window is closed inside a function");
    tc_status status = tc_am_flush(window, TC_RANK_NONE, limit, err);
    /* Without a deadline of its own a unit ends by the option call_timeout. */
    if (status == TC_E_TIMEOUT && window->under_way > 0)
        return status;
    tc_error barrier_err;
    const tc_status met = tc_group_barrier(ams->group, limit, &barrier_err);
    close_window(window);
    if (status == TC_OK && met != TC_OK)
        return tci_error_set(err, met, "%s", barrier_err.text);
    return status;
}

void *tc_am_window_memory(const tc_am_window *window)
{
    return window->memory;
}

uint64_t tc_am_window_bytes(const tc_am_window *window)
{
    return window->bytes;
}

tc_status tc_am_window_find(tc_am_window *window, uint32_t rank, tc_gptr *pointer_out,
                            uint64_t *bytes_out, uint64_t timeout_ns, tc_error *err)
{
    TC_TRY(tca_window_check_rank(window, rank, err));
    TC_TRY(tca_window_learn(window, rank, timeout_ns, err));
    if (pointer_out != NULL)
        *pointer_out = window->remotes[rank].pointer;
    if (bytes_out != NULL)
        *bytes_out = window->remotes[rank].bytes;
    return TC_OK;
}

void tc_am_window_set_concurrent(tc_am_window *window, int concurrent)
{
    window->is_concurrent = concurrent != 0;
}

/* --- active messages ---------------------------------------------------------------------- */

static tc_status make_plan(tc_am_window *window, uint32_t rank, const tc_am_op *op,
                           const tc_am_params *given, size_t given_size, tca_plan *plan_out,
                           tc_error *err)
{
    TC_TRY(tci_sized_struct_take(&plan_out->params, sizeof plan_out->params, given, given_size,
                                 err));
    TC_TRY(tca_window_check_rank(window, rank, err));
    if (op->ams != window->ams)
        return tci_error_set(err, TC_E_INVALID, "an operation of another tc_ams");
    TC_TRY(tca_plan_make(plan_out, tca_peer_find(window->ams, rank)->unit_bytes, err));
    window->ams->counts.started++;
    return TC_OK;
}

tc_status tc_am_start_sized(tc_am_window *window, uint32_t rank, tc_am_op *op,
                            const tc_am_params *params, size_t params_size,
                            tc_am_request *request, tc_error *err)
{
    tca_plan plan;
    tc_am_outcome outcome;
    char text[TC_AM_TEXT_MAX];
    TC_TRY(make_plan(window, rank, op, params, params_size, &plan, err));
    if (request != NULL)
        request->is_done = 0;
    if (tca_here_run(window, rank, op, &plan, &outcome, text)) {
        tca_outcome_report(window, &plan.params, request, &outcome);
        tca_plan_release(&plan);
        return TC_OK;
    }
    if (tca_marks_suit(&plan, request) && tca_units_send_counted(window, rank, op, &plan)) {
        tca_plan_release(&plan);
        return TC_OK;
    }
    tc_status status = tca_units_start(window, rank, op, &plan, request, err);
    if (status != TC_OK)
        tca_plan_release(&plan);
    return status;
}

/* --- active messages that are waited for -------------------------------------------------- */

/* True: a call does it, with memory of this stack frame and the caller's. */
static bool is_one_call(const tc_am_window *window, uint32_t rank, const tca_plan *plan)
{
    const tc_ams *ams = window->ams;
    const uint32_t segments = plan->params.segments;
    return plan->unit == segments && plan->params.done == NULL &&
           (plan->output.bytes == 0 || tca_layout_is_packed(&plan->output)) &&
           tca_plan_payload_size(plan, segments) <= SMALL_PAYLOAD &&
           ams->peers[rank].first == NULL &&
           tca_units_are_free(ams, rank, tca_plan_charge(plan, segments));
}

static tc_status call_once(tc_am_window *window, uint32_t rank, tc_am_op *op,
                           const tca_plan *plan, tc_error *err)
{
    tc_ams *ams = window->ams;
    const uint32_t segments = plan->params.segments;
    const uint64_t charge = tca_plan_charge(plan, segments);
    const size_t expected = (size_t)(segments * plan->output.bytes);
    uint64_t payload[SMALL_PAYLOAD / 8];
    char text[TC_AM_TEXT_MAX];
    size_t answered = expected;
    tc_error own;
    tc_ep *ep;
    TC_TRY(tc_group_ep(ams->group, rank, &ep, err));
    tca_plan_write(plan, window->number, op->word, 0, segments, payload);
    tca_units_enter(window, rank, op, charge);
    ams->counts.units_sent++;
    tc_status status = tc_call(ep, op->fn != NULL ? op->fn : ams->runtime, payload,
                               tca_plan_payload_size(plan, segments), plan->params.output,
                               &answered, plan->params.timeout_ns, &own);
    tca_units_leave(window, rank, op, charge);
    if (status == TC_OK && answered == expected)
        return TC_OK;
    if (status == TC_OK || (status == TC_E_TOO_LARGE && answered > expected))
        return tci_error_set(err, TC_E_CORRUPT, "an output of %zu bytes, expected %zu",
                             answered, expected);
    tca_outcome_text(op, rank, status, own.text, text);
    return tci_error_set(err, status, "%s", text);
}

static bool is_done(const void *request)
{
    return ((const tc_am_request *)request)->is_done != 0;
}

static tc_status status_of(const tc_am_request *request, tc_error *err)
{
    return request->status == TC_OK ? TC_OK
                                    : tci_error_set(err, request->status, "%s", request->text);
}

/* One that is waited for, in memory that is there also while a function waits. */
typedef struct awaited {
    tc_am_request request;
    tc_am_callback done; /* the caller's */
    void *user;
    bool is_abandoned; /* the wait has ended before: its end frees this */
} awaited;

/* The request has its outcome already. */
static void awaited_done(void *user, const tc_am_outcome *outcome)
{
    awaited *own = user;
    if (own->done != NULL)
        own->done(own->user, outcome);
    if (own->is_abandoned)
        free(own);
}

static tc_status start_and_wait(tc_am_window *window, uint32_t rank, tc_am_op *op,
                                tca_plan *plan, tc_error *err)
{
    /* It looks once, and finds out whether the caller may wait at all. */
    if (tc_calls_wait(window->ams->context, 0) == TC_E_BUSY || window->ams->callbacks > 0)
        return tci_error_set(err, TC_E_BUSY, "the caller may not wait");
    awaited *own = calloc(1, sizeof *own);
    if (own == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "a request of %zu bytes", sizeof *own);
    own->done = plan->params.done;
    own->user = plan->params.user;
    plan->params.done = awaited_done;
    plan->params.user = own;
    tc_status status = tca_units_start(window, rank, op, plan, &own->request, err);
    if (status != TC_OK) {
        free(own);
        return status;
    }
    /* They are the active message's now. */
    plan->blocks = NULL;
    plan->extension_large = NULL;
    status = tca_waits_until(window->ams, is_done, &own->request, TC_FOREVER);
    if (!own->request.is_done) {
        own->is_abandoned = true;
        return tci_error_set(err, status, "the wait for an active message has ended");
    }
    status = status_of(&own->request, err);
    free(own);
    return status;
}

tc_status tc_am_sized(tc_am_window *window, uint32_t rank, tc_am_op *op,
                      const tc_am_params *params, size_t params_size, tc_error *err)
{
    tca_plan plan;
    tc_am_outcome outcome;
    char text[TC_AM_TEXT_MAX];
    tc_status status;
    if (window->ams->is_running)
        return tci_error_set(err, TC_E_BUSY, "an operation may not wait");
    TC_TRY(make_plan(window, rank, op, params, params_size, &plan, err));
    if (tca_here_run(window, rank, op, &plan, &outcome, text)) {
        status = outcome.status == TC_OK
                     ? TC_OK
                     : tci_error_set(err, outcome.status, "%s", outcome.text);
        if (plan.params.done != NULL)
            tca_outcome_report(window, &plan.params, NULL, &outcome);
    } else if (is_one_call(window, rank, &plan)) {
        status = call_once(window, rank, op, &plan, err);
    } else {
        status = start_and_wait(window, rank, op, &plan, err);
    }
    tca_plan_release(&plan);
    return status;
}

tc_status tc_am_wait(tc_ams *ams, tc_am_request *request, uint64_t timeout_ns, tc_error *err)
{
    tc_status status = tca_waits_until(ams, is_done, request, timeout_ns);
    if (!request->is_done)
        return tci_error_set(err, status, "an active message is still under way");
    return status_of(request, err);
}
