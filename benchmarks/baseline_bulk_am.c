/* Plain UCX active messages of large payloads, by the protocol that UCX chooses: eager ones are
 * used where UCX has put them, the others are received into buffers that are used again and
 * again. */
#include "baseline_link.h"
#include "bulk_source.h"
#include "ifuncs/scan.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdio.h>
#include <stdlib.h>

#define HANDLER_ID 1u
/* Messages under way: more do not go faster. */
#define OUTSTANDING_MAX (BULK_PAYLOADS - 1)

typedef struct am_state {
    baseline_link link;
    scan_target target;
    bool unread;
    bool failed;
    uint64_t outstanding;
    size_t payload_bytes;
    bulk_source source;
    unsigned char *spare[OUTSTANDING_MAX]; /* of the target: buffers that nothing comes into */
    unsigned spare_count;
} am_state;

typedef struct am_receive {
    am_state *state;
    unsigned char *buffer;
} am_receive;

static void use(am_state *state, const void *payload, size_t size)
{
    if (state->unread)
        state->target.counter++;
    else
        scan_payload(&state->target, payload, size);
}

static void received(void *request, ucs_status_t status, size_t size, void *user)
{
    am_receive *receive = user;
    am_state *state = receive->state;
    state->failed |= status != UCS_OK;
    use(state, receive->buffer, size);
    state->spare[state->spare_count++] = receive->buffer;
    free(receive);
    if (request != NULL)
        ucp_request_free(request);
}

/* UCX calls no callback for a send that completes at once. */
static ucs_status_t start_receive(am_state *state, void *data, size_t size)
{
    am_receive *receive = malloc(sizeof *receive);
    size_t got = size;
    if (receive == NULL || state->spare_count == 0 || size > state->payload_bytes) {
        free(receive);
        state->failed = true;
        return UCS_ERR_NO_MEMORY;
    }
    *receive = (am_receive){state, state->spare[--state->spare_count]};
    const ucp_request_param_t params = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                        UCP_OP_ATTR_FIELD_RECV_INFO,
        .cb.recv_am = received,
        .recv_info.length = &got,
        .user_data = receive,
    };
    void *request =
        ucp_am_recv_data_nbx(state->link.worker, data, receive->buffer, size, &params);
    if (!UCS_PTR_IS_PTR(request))
        received(NULL, UCS_PTR_RAW_STATUS(request), got, receive);
    return UCS_OK;
}

static ucs_status_t on_message(void *user, const void *header, size_t header_size, void *data,
                               size_t size, const ucp_am_recv_param_t *params)
{
    am_state *state = user;
    (void)header, (void)header_size;
    if (params->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) {
        ucs_status_t status = start_receive(state, data, size);
        return status == UCS_OK ? UCS_INPROGRESS : status;
    }
    use(state, data, size);
    return UCS_OK;
}

static void send_finished(void *request, ucs_status_t status, void *user)
{
    am_state *state = user;
    state->failed |= status != UCS_OK;
    state->outstanding--;
    ucp_request_free(request);
}

static bool make_payloads(am_state *state, const perf_options *options, perf_role role)
{
    if (role == PERF_SOURCE)
        return bulk_source_init(&state->source, options);
    for (unsigned i = 0; i < OUTSTANDING_MAX; i++) {
        unsigned char *buffer = bulk_source_pages(state->payload_bytes);
        if (buffer == NULL)
            return false;
        state->spare[state->spare_count++] = buffer;
    }
    return true;
}

static bool open_am(perf_series *series)
{
    am_state *state = series->state;
    state->unread = series->options->unread;
    state->payload_bytes = series->options->payload_bytes;
    bool ok = make_payloads(state, series->options, series->session->role) ||
              perf_session_complain(series->session, "out of memory");
    ok = ok &&
         baseline_link_start_am(&state->link, series->session, HANDLER_ID,
                                UCP_AM_FLAG_WHOLE_MSG, on_message, state) &&
         baseline_link_connect(&state->link, series->mode == &perf_mode_bulk_am_safe
                                                 ? UCP_ERR_HANDLING_MODE_PEER
                                                 : UCP_ERR_HANDLING_MODE_NONE);
    series->payload_bytes = state->payload_bytes;
    (void)snprintf(series->delivery, sizeof series->delivery, "am");
    return ok;
}

static bool source_rate(perf_series *series, uint64_t count)
{
    am_state *state = series->state;
    const ucp_request_param_t params = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb.send = send_finished,
        .user_data = state,
    };
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        if (!baseline_link_await(&state->link, &poll, &state->outstanding,
                                 OUTSTANDING_MAX - 1) ||
            state->failed)
            return false;
        void *request =
            ucp_am_send_nbx(state->link.peer, HANDLER_ID, NULL, 0,
                            bulk_source_next(&state->source), state->payload_bytes, &params);
        if (UCS_PTR_IS_ERR(request))
            return baseline_link_complain(&state->link, "ucp_am_send_nbx",
                                          UCS_PTR_STATUS(request));
        state->outstanding += request != NULL;
    }
    return baseline_link_await(&state->link, &poll, &state->outstanding, 0) && !state->failed;
}

static bool target_rate(perf_series *series, uint64_t count)
{
    am_state *state = series->state;
    uint64_t last = state->target.counter + count;
    perf_poll poll = {.session = series->session};
    while (!perf_session_has_ended(series->session)) {
        if (state->target.counter == last)
            perf_session_set_done(series->session);
        if (ucp_worker_progress(state->link.worker) != 0)
            perf_poll_hit(&poll);
        else if (!perf_poll_missed(&poll))
            return false;
    }
    return !state->failed;
}

static void release_am(perf_series *series)
{
    am_state *state = series->state;
    baseline_link_free(&state->link);
    for (unsigned i = 0; i < state->spare_count; i++)
        free(state->spare[i]);
    bulk_source_free(&state->source);
}

#define AM_MODE(text)                                                                          \
    {                                                                                          \
        .name = text, .state_bytes = sizeof(am_state), .open = open_am,                        \
        .source_rate = source_rate, .target_rate = target_rate, .close = baseline_link_close,  \
        .release = release_am,                                                                 \
    }

const perf_mode perf_mode_bulk_am = AM_MODE("am");
const perf_mode perf_mode_bulk_am_safe = AM_MODE("am-safe");
