#include "walk_call.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_NS 120000000000ull
#define TURN_NS 100000000ull

static void over(void *user, const tc_call_outcome *outcome)
{
    walk_call *call = user;
    call->status = outcome->status;
    call->answer_size = outcome->result_size;
    call->hops = outcome->hops;
    call->rank = outcome->rank;
    call->path_length =
        outcome->path_length < WALK_PATH_MAX ? outcome->path_length : WALK_PATH_MAX;
    for (size_t i = 0; i < call->path_length; i++)
        call->path[i] = outcome->path[i];
    if (outcome->status != TC_OK)
        (void)snprintf(call->text, sizeof call->text, "%s", outcome->text);
    call->over = true;
}

tc_status walk_call_start(tc_group *group, tc_ifunc *walk, const walk_params *params,
                          walk_call *call_out)
{
    walk_call *call = call_out;
    *call = (walk_call){.params = *params, .group_size = tc_group_size(group)};
    const walk_message message = {
        .left = params->hops, .base = params->base, .width = params->width};
    const tc_call_params how = {.result = &call->answer,
                                .result_capacity = sizeof call->answer,
                                .timeout_ns = params->timeout_ns,
                                .hop_limit = params->hop_limit,
                                .trace = params->trace,
                                .done = over,
                                .user = call};
    tc_ep *ep;
    tc_status status = tc_group_ep(group, params->first, &ep, NULL);
    while (status == TC_OK && (status = tc_call_start(ep, walk, &message, sizeof message, &how,
                                                      NULL, NULL)) == TC_E_AGAIN) {
        (void)tc_progress(tc_group_context(group));
        status = TC_OK;
    }
    return status;
}

bool walk_call_wait(tc_group *group, const walk_call *call)
{
    uint64_t deadline_ns = tci_deadline_after(PATIENCE_NS);
    tc_status status = TC_OK;
    while (!call->over && (status == TC_OK || status == TC_E_TIMEOUT) &&
           tci_deadline_left_ns(deadline_ns) > 0)
        status = tc_wait(tc_group_context(group), TURN_NS);
    return call->over;
}

bool walk_call_is_right(const walk_call *call)
{
    const walk_params *params = &call->params;
    walk_message expected = {
        .base = params->base, .width = params->width, .size = call->group_size};
    uint32_t rank = params->first;
    expected.digest = walk_digest(0, rank);
    for (uint32_t i = 0; i < params->hops; i++) {
        if (i < call->path_length && call->path[i] != rank)
            return false;
        rank = walk_next(&expected, rank);
        expected.digest = walk_digest(expected.digest, rank);
    }
    size_t path_expected = params->hops < WALK_PATH_MAX ? params->hops : WALK_PATH_MAX;
    return call->over && call->status == TC_OK && call->answer_size == sizeof call->answer &&
           memcmp(&call->answer, &expected, sizeof expected) == 0 && call->rank == rank &&
           call->hops == params->hops &&
           call->path_length == (params->trace ? path_expected : 0);
}
