/* The same function by the original's API: frames in slots that this program owns. Latency
 * takes one slot at each side, with a message that frees the other one; rate takes a ring of
 * them, and the target publishes its position in memory that both share. */
#include "baseline_link.h"
#include "perf_clock.h"
#include "perf_mode.h"
#include "perf_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tc/compat/ucp/api/ucp.h>
#include <unistd.h>

#define SLOTS 64u
#define CREDIT_EVERY (SLOTS / 4)
#define HEADER_BYTES 48u /* of a frame without code */

typedef struct compat_state {
    baseline_link link;
    ucp_ifunc_h function;
    ucp_ifunc_msg_t message;
    baseline_memory memory; /* the slots */
    size_t slot_bytes;
    void *target;
    const uint64_t *calls;
    uint64_t awaited;
    uint64_t sent;              /* to the ring, and */
    uint64_t read;              /* out of it */
    _Atomic uint64_t *consumed; /* shared: messages that the target has read */
} compat_state;

static bool complain(compat_state *state, const char *what, ucs_status_t status)
{
    return baseline_link_complain(&state->link, what, status);
}

/* --- opening ------------------------------------------------------------------------------ */

/* The API knows one folder; the library's option has a list. */
static void choose_folder(const perf_series *series)
{
    char folder[PERF_PATH_MAX], file[PERF_PATH_MAX + 80];
    for (const char *at = series->options->ifunc_path; at != NULL && *at != '\0';) {
        size_t size = strcspn(at, ":");
        (void)snprintf(folder, sizeof folder, "%.*s", (int)size, at);
        (void)snprintf(file, sizeof file, "%s/%s.tca", folder, series->work->name);
        if (access(file, R_OK) == 0) {
            (void)setenv("UCX_IFUNC_LIB_DIR", folder, 1);
            return;
        }
        at += size + (at[size] == ':');
    }
}

static bool make_message(perf_series *series, compat_state *state)
{
    ucp_ifunc_reg_param_t param = {.name = (char *)(uintptr_t)series->work->name, .llvm_bc = 1};
    size_t payload_bytes = series->options->payload_bytes;
    unsigned char *payload = malloc(payload_bytes);
    if (payload == NULL)
        return perf_session_complain(series->session, "out of memory");
    ifunc_work_fill(payload, payload_bytes);
    ucs_status_t status = ucp_register_ifunc(state->link.context, param, &state->function);
    if (status == UCS_OK)
        status = ucp_ifunc_msg_create(state->function, payload, payload_bytes, &state->message);
    free(payload);
    state->slot_bytes = state->message.frame_size;
    return status == UCS_OK || complain(state, series->work->name, status);
}

static void describe(perf_series *series, const compat_state *state)
{
    void *mapped;
    bool stores = ucp_rkey_ptr(state->memory.rkey, state->memory.remote, &mapped) == UCS_OK;
    size_t payload_bytes = series->options->payload_bytes;
    series->payload_bytes = payload_bytes;
    series->frame_bytes = (double)(stores ? HEADER_BYTES + ((payload_bytes + 15) & ~(size_t)15)
                                          : state->message.frame_size);
    (void)snprintf(series->delivery, sizeof series->delivery, "%s", stores ? "direct" : "put");
}

static bool open_compat(perf_series *series)
{
    perf_session *session = series->session;
    compat_state *state = series->state;
    state->target = series->work->create(series->options->payload_bytes);
    if (state->target == NULL)
        return perf_session_complain(session, "out of memory");
    state->calls = state->target;
    /* The arena's last line: its beginning is used by the mode `bare`. */
    state->consumed =
        (_Atomic uint64_t *)(void *)&session->control->arena[PERF_ARENA_BYTES - 64];
    if (session->role == PERF_TARGET)
        atomic_store(state->consumed, 0);
    choose_folder(series);
    bool ok = baseline_link_start(&state->link, session, UCP_FEATURE_RMA) &&
              baseline_link_connect(&state->link, UCP_ERR_HANDLING_MODE_NONE) &&
              make_message(series, state) &&
              baseline_memory_offer(&state->memory, &state->link, SLOTS * state->slot_bytes) &&
              baseline_memory_take(&state->memory, &state->link);
    if (ok)
        describe(series, state);
    return ok;
}

static void release_compat(perf_series *series)
{
    compat_state *state = series->state;
    if (state->message.frame != NULL)
        (void)ucp_ifunc_msg_free(state->message);
    if (state->function != NULL)
        (void)ucp_deregister_ifunc(state->link.context, state->function);
    baseline_memory_free(&state->memory, &state->link);
    baseline_link_free(&state->link);
    free(state->target);
}

/* --- messages ----------------------------------------------------------------------------- */

static inline bool send_to(compat_state *state, size_t slot)
{
    ucs_status_t status = ucp_ifunc_send_nbix(state->link.peer, state->message,
                                              state->memory.remote + slot * state->slot_bytes,
                                              state->memory.rkey);
    return !UCS_STATUS_IS_ERR(status) || complain(state, "send", status);
}

static inline bool run_from(compat_state *state, size_t slot, perf_poll *poll)
{
    ucs_status_t status;
    while ((status = ucp_poll_ifunc(
                state->link.context, state->memory.base + slot * state->slot_bytes,
                state->slot_bytes, state->target, state->link.worker)) == UCS_ERR_NO_MESSAGE) {
        if (!perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    state->awaited++;
    return status == UCS_OK || complain(state, "poll", status);
}

static bool is_right(const compat_state *state)
{
    return *state->calls == state->awaited ||
           perf_session_complain(state->link.session, "compat: %llu calls for %llu messages",
                                 (unsigned long long)*state->calls,
                                 (unsigned long long)state->awaited);
}

static bool linger(compat_state *state, perf_poll *poll)
{
    while (!perf_session_has_ended(state->link.session)) {
        if (ucp_worker_progress(state->link.worker) == 0 && !perf_poll_missed(poll))
            return false;
    }
    return is_right(state);
}

static bool source_latency(perf_series *series, uint64_t count, uint64_t *stamps)
{
    compat_state *state = series->state;
    perf_poll poll = {.session = series->session};
    stamps[0] = perf_ticks();
    for (uint64_t i = 1; i <= count; i++) {
        if (!send_to(state, 0) || !run_from(state, 0, &poll))
            return false;
        stamps[i] = perf_ticks();
    }
    return is_right(state);
}

static bool target_latency(perf_series *series, uint64_t count)
{
    compat_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        if (!run_from(state, 0, &poll) || !send_to(state, 0))
            return false;
    }
    return linger(state, &poll);
}

static bool await_credit(compat_state *state, uint64_t read, perf_poll *poll)
{
    while (atomic_load_explicit(state->consumed, memory_order_acquire) < read) {
        if (ucp_worker_progress(state->link.worker) == 0 && !perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

static bool source_rate(perf_series *series, uint64_t count)
{
    compat_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 0; i < count; i++) {
        bool room = state->sent < SLOTS || await_credit(state, state->sent - SLOTS + 1, &poll);
        if (!room || !send_to(state, state->sent % SLOTS))
            return false;
        state->sent++;
    }
    return await_credit(state, state->sent, &poll);
}

static bool target_rate(perf_series *series, uint64_t count)
{
    compat_state *state = series->state;
    perf_poll poll = {.session = series->session};
    for (uint64_t i = 1; i <= count; i++) {
        if (!run_from(state, state->read % SLOTS, &poll))
            return false;
        state->read++;
        if (state->read % CREDIT_EVERY == 0 || i == count)
            atomic_store_explicit(state->consumed, state->read, memory_order_release);
    }
    perf_session_set_done(series->session);
    return linger(state, &poll);
}

const perf_mode perf_mode_compat = {
    .name = "compat",
    .state_bytes = sizeof(compat_state),
    .open = open_compat,
    .source_latency = source_latency,
    .target_latency = target_latency,
    .source_rate = source_rate,
    .target_rate = target_rate,
    .close = baseline_link_close,
    .release = release_compat,
};
