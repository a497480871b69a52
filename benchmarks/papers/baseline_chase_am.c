/* The pointer chase by UCX active messages with handlers that are part of every server's
 * program.
 */
#include "baseline_chase.h"

#include <stdlib.h>
#include <string.h>

enum { CHASER = 1, RETURN_RESULT };

/* The paper's three fields, and which of the client's chases it is. */
typedef struct am_chase {
    dapc_step step;
    uint32_t destination; /* the client's rank */
    uint32_t slot;
} am_chase;

typedef struct am_state {
    baseline_chase ucx;
    ucp_request_param_t params;
    /* Messages that UCX has not sent yet. A chase is at one server at a time, so its slot is
     * free again when it comes by next. */
    am_chase leaving[DAPC_INFLIGHT_MAX];
} am_state;

static void send_finished(void *request, ucs_status_t status, void *user)
{
    (void)status, (void)user; /* a broken connection shows as silence */
    ucp_request_free(request);
}

static bool send_chase(am_state *state, unsigned id, uint64_t rank, const am_chase *chase)
{
    am_chase *leaving = &state->leaving[chase->slot];
    *leaving = *chase;
    void *request = ucp_am_send_nbx(state->ucx.peers[rank], id, NULL, 0, leaving,
                                    sizeof *leaving, &state->params);
    return !UCS_PTR_IS_ERR(request) ||
           baseline_chase_complain(&state->ucx, "ucp_am_send_nbx", UCS_PTR_STATUS(request));
}

static ucs_status_t run_chaser(void *user, const void *header, size_t header_size, void *data,
                               size_t size, const ucp_am_recv_param_t *params)
{
    am_state *state = user;
    const dapc_shard *shard = &state->ucx.series->shard;
    am_chase chase;
    (void)header, (void)header_size, (void)params;
    if (size != sizeof chase)
        return UCS_OK;
    memcpy(&chase, data, sizeof chase);
    dapc_walk(shard, &chase.step);
    if (chase.step.depth == 0)
        (void)send_chase(state, RETURN_RESULT, chase.destination, &chase);
    else
        (void)send_chase(state, CHASER, dapc_owner(shard, chase.step.address), &chase);
    return UCS_OK;
}

static ucs_status_t take_result(void *user, const void *header, size_t header_size, void *data,
                                size_t size, const ucp_am_recv_param_t *params)
{
    am_state *state = user;
    am_chase chase;
    (void)header, (void)header_size, (void)params;
    if (size != sizeof chase)
        return UCS_OK;
    memcpy(&chase, data, sizeof chase);
    dapc_client_done(state->ucx.series->client, chase.slot, chase.step.address);
    return UCS_OK;
}

static bool set_handler(am_state *state, unsigned id, ucp_am_recv_callback_t handler)
{
    const ucp_am_handler_param_t params = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                         UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                         UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                           .id = id,
                                           .cb = handler,
                                           .arg = state};
    ucs_status_t status = ucp_worker_set_am_recv_handler(state->ucx.worker, &params);
    return status == UCS_OK ||
           baseline_chase_complain(&state->ucx, "ucp_worker_set_am_recv_handler", status);
}

static bool open_am(dapc_series *series, dapc_blob *mine_out)
{
    am_state *state = series->state;
    mine_out->size = 0;
    state->params = (ucp_request_param_t){.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS |
                                                          UCP_OP_ATTR_FIELD_CALLBACK,
                                          .flags = UCP_AM_SEND_FLAG_EAGER,
                                          .cb.send = send_finished};
    if (!baseline_chase_open(&state->ucx, series, UCP_FEATURE_AM))
        return false;
    bool set = series->rank < series->server_count
                   ? set_handler(state, CHASER, run_chaser)
                   : set_handler(state, RETURN_RESULT, take_result);
    return set && baseline_chase_add_address(&state->ucx, mine_out);
}

static bool connect_am(dapc_series *series, const dapc_blob *blobs)
{
    am_state *state = series->state;
    for (unsigned i = 0; i <= series->server_count; i++) {
        if (i != series->rank && !baseline_chase_connect(&state->ucx, i, &blobs[i], 0))
            return false;
    }
    return baseline_chase_flush(&state->ucx);
}

static bool turn_am(dapc_series *series)
{
    am_state *state = series->state;
    baseline_chase_turn(&state->ucx);
    return true;
}

static bool start_am(dapc_series *series, unsigned slot, unsigned server, const dapc_step *step)
{
    const am_chase chase = {.step = *step, .destination = series->rank, .slot = slot};
    return send_chase(series->state, CHASER, server, &chase);
}

static void close_am(dapc_series *series)
{
    am_state *state = series->state;
    baseline_chase_close(&state->ucx);
}

#define AM_MODE(text, safe)                                                                    \
    {                                                                                          \
        .name = text, .state_bytes = sizeof(am_state), .is_safe = safe, .open = open_am,       \
        .connect = connect_am, .turn = turn_am, .close = close_am, .start = start_am,          \
    }

const dapc_mode dapc_mode_am = AM_MODE("am", false);
const dapc_mode dapc_mode_am_safe = AM_MODE("am-safe", true);
