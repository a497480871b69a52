/* A call to every member of a group that waits for all replies. */
#include "context/context_object.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "context/wait.h"
#include "modules/calls/groups.h"

#include <stdlib.h>
#include <tc/group.h>

/* The calls' own deadlines come first. The wait ends this much later if no turn checks them. */
#define MARGIN_NS 100000000ull

struct round;

typedef struct member_call {
    struct round *round;
    uint32_t rank;
    bool is_under_way;
    tc_call_id id;
} member_call;

typedef struct round {
    tc_group *group;
    tc_ifunc *fn;
    const void *source_args;
    size_t size;
    tc_group_call_params params;
    uint64_t deadline_ns;
    member_call *calls;
    uint32_t left; /* calls that are under way */
    uint32_t failed_rank;
    tc_status failure; /* of failed_rank, the lowest; TC_OK: no call has failed */
    tc_error *err;
} round;

static void note_end(round *r, uint32_t rank, tc_status status, size_t size, const char *text)
{
    if (r->params.statuses != NULL)
        r->params.statuses[rank] = status;
    if (r->params.sizes != NULL)
        r->params.sizes[rank] = size;
    if (status == TC_OK || (r->failure != TC_OK && r->failed_rank < rank))
        return;
    r->failure = status;
    r->failed_rank = rank;
    (void)tci_error_set(r->err, status, "rank %u: %s", rank, text);
}

static void take_answer(void *user, const tc_call_outcome *outcome)
{
    member_call *call = user;
    tc_status status = outcome->status;
    /* The caller has no buffer for the reply, so it may be of any size. */
    if (status == TC_E_TOO_LARGE && call->round->params.results == NULL &&
        outcome->result_size > 0)
        status = TC_OK;
    call->is_under_way = false;
    call->round->left--;
    note_end(call->round, call->rank, status, outcome->result_size,
             status != TC_OK ? outcome->text : "");
}

static tc_status start_one(round *r, member_call *call, tc_error *err)
{
    tc_context *ctx = tc_group_context(r->group);
    const tc_call_params params = {
        .result = r->params.results != NULL
                      ? (char *)r->params.results + call->rank * r->params.result_capacity
                      : NULL,
        .result_capacity = r->params.results != NULL ? r->params.result_capacity : 0,
        .timeout_ns = tci_deadline_left_ns(r->deadline_ns) + 1, /* 0: the option's time */
        .done = take_answer,
        .user = call};
    for (;;) {
        tc_ep *ep; /* another one, if it ended during the wait */
        TC_TRY(tc_group_ep(r->group, call->rank, &ep, err));
        tc_status status =
            tc_call_start(ep, r->fn, r->source_args, r->size, &params, &call->id, err);
        if (status != TC_E_AGAIN)
            return status;
        if (tci_wait_turn(ctx, r->deadline_ns) != TC_OK)
            return tci_error_set(err, TC_E_TIMEOUT, "there was no room to send the call");
    }
}

static void start_all(round *r)
{
    for (uint32_t rank = 0; rank < tc_group_size(r->group); rank++) {
        member_call *call = &r->calls[rank];
        tc_error error;
        *call = (member_call){.round = r, .rank = rank, .is_under_way = true};
        r->left++;
        tc_status status = start_one(r, call, &error);
        if (status == TC_OK)
            continue;
        call->is_under_way = false;
        r->left--;
        note_end(r, rank, status, 0, error.text);
    }
}

static void give_up(round *r)
{
    for (uint32_t rank = 0; rank < tc_group_size(r->group); rank++) {
        if (!r->calls[rank].is_under_way)
            continue;
        (void)tc_call_cancel(tc_group_context(r->group), r->calls[rank].id);
        note_end(r, rank, TC_E_TIMEOUT, 0, "no answer came in time");
    }
}

tc_status tc_group_call_all_sized(tc_group *group, tc_ifunc *fn, const void *source_args,
                                  size_t size, const tc_group_call_params *params,
                                  size_t params_size, tc_error *err)
{
    tc_context *ctx = tc_group_context(group);
    round r = {.group = group, .fn = fn, .source_args = source_args, .size = size, .err = err};
    if (tci_core_is_busy(group->core))
        return tci_error_set(err, TC_E_BUSY,
                             "tc_group_call_all waits, so not from inside an ifunc");
    TC_TRY(tci_sized_struct_read(&r.params, sizeof r.params, params, params_size, err));
    r.deadline_ns = tci_deadline_after(
        r.params.timeout_ns != 0 ? r.params.timeout_ns : group->core->options.call_timeout);
    /* bound: TC_GROUP_SIZE_MAX */
    r.calls = calloc(tc_group_size(group), sizeof *r.calls);
    if (r.calls == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %u calls",
                             tc_group_size(group));
    ctx->idle_since_ns = 0;
    start_all(&r);
    while (r.left > 0 &&
           tci_wait_turn(ctx, tci_deadline_from(r.deadline_ns, MARGIN_NS)) == TC_OK)
        ;
    give_up(&r);
    free(r.calls);
    return r.failure;
}
