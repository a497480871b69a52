#include "modules/limits/limits_module.h"

#include "base/error_text.h"

#include <stdlib.h>

static tci_limits_state *state_of(const tc_ep *ep)
{
    return tci_limits_state_of(ep->core);
}

static tc_status admit(tc_ep *ep, tc_error *err)
{
    return tci_quota_admit(&state_of(ep)->accounts, ep, err);
}

static void note_state(const tc_ep *ep, const tc_error *error)
{
    tci_audit_state(&state_of(ep)->audit, ep, error);
}

static void note_stranger(tci_core *core, const char *peer, const tc_error *error, bool handed)
{
    tci_audit_stranger(&tci_limits_state_of(core)->audit, core, peer, error, handed);
}

static void note_code(const tc_ep *ep, const tc_ifunc *fn, const tc_error *error)
{
    tci_audit_code(&state_of(ep)->audit, ep, fn, error);
}

static void note_window(const tc_ep *ep, const tc_error *error)
{
    tci_audit_window(&state_of(ep)->audit, ep, error);
}

static uint64_t begin_batch(tc_ep *ep, uint64_t bytes)
{
    tci_call_watch *watch = state_of(ep)->watch;
    if (ep->rx.metered && (bytes = tci_quota_turn(ep, bytes)) == 0)
        return 0;
    if (watch != NULL)
        tci_call_watch_begin(watch, ep);
    return bytes;
}

static void end_batch(tc_ep *ep, uint64_t messages)
{
    tci_call_watch *watch = state_of(ep)->watch;
    if (watch != NULL)
        tci_call_watch_end(watch, ep->core);
    tci_quota_spend(ep, messages);
}

static void step(const tc_ep *ep)
{
    tci_call_watch *watch = state_of(ep)->watch;
    if (watch != NULL)
        tci_call_watch_sync(watch, ep->core);
}

static tc_status listen_at(tci_core *core, const tci_stream_listener *streams, tc_error *err)
{
    tci_limits_state *state = tci_limits_state_of(core);
    if (state->watch == NULL)
        return TC_OK;
    return tci_busy_desk_open(&state->desk, state->watch, &core->options, streams, err);
}

/* In a child of fork() the desk's lock may be held by a thread that is not there. */
static void unlisten(tci_core *core, const tci_stream_listener *streams)
{
    tci_busy_desk *desk = tci_limits_state_of(core)->desk;
    if (desk != NULL && !tci_core_is_forked(core))
        tci_busy_desk_close(desk, streams);
}

static void set_callback(tci_core *core, tc_long_call_callback callback, void *user)
{
    tci_call_watch *watch = tci_limits_state_of(core)->watch;
    if (watch != NULL)
        tci_call_watch_set_callback(watch, callback, user);
}

static tc_status reopen_audit(tci_core *core, tc_error *err)
{
    tci_audit_file *file = tci_limits_state_of(core)->audit.file;
    return file != NULL ? tci_audit_file_reopen(file, err) : TC_OK;
}

static tc_status attach(tci_core *core, tc_error *err)
{
    const struct tc_options *options = &core->options;
    if (tci_limits_wanted(options) == NULL)
        return TC_OK;
    tci_limits_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "context: out of memory");
    state->table = (tci_limits){.admit = admit,
                                .leave = tci_quota_leave,
                                .note_state = note_state,
                                .note_stranger = note_stranger,
                                .begin_batch = begin_batch,
                                .end_batch = end_batch,
                                .step = step,
                                .waits = tci_quota_waits,
                                .queue = tci_quota_queue,
                                .queue_left = tci_quota_queue_left,
                                .check_code = tci_quota_check_code,
                                .check_compile = tci_quota_check_compile,
                                .charge_compile = tci_quota_charge_compile,
                                .may_add_task = tci_quota_may_add_task,
                                .count_task = tci_quota_count_task,
                                .note_code = note_code,
                                .note_window = note_window,
                                .listen = listen_at,
                                .unlisten = unlisten,
                                .set_callback = set_callback,
                                .reopen_audit = reopen_audit};
    tc_status status =
        tci_module_take((const void **)&core->limits, &state->table, "limits", err);
    if (status != TC_OK) {
        free(state);
        return status;
    }
    TC_TRY(tci_audit_file_open(options->audit, &state->audit.file, err));
    if (options->call_time_max > 0)
        TC_TRY(tci_call_watch_create(options->call_time_max, &state->watch, err));
    if (state->watch != NULL)
        core->batch_watchers |= TCI_WATCHED_BY_LIMITS;
    return TC_OK;
}

static void detach(tci_core *core)
{
    if (core->limits == NULL || core->limits->admit != admit)
        return;
    tci_limits_state *state = tci_limits_state_of(core);
    tci_call_watch_destroy(state->watch);
    tci_busy_desk_free(state->desk);
    tci_quota_fini(&state->accounts);
    tci_audit_file_close(state->audit.file);
    free(state);
    core->limits = NULL;
    core->batch_watchers &= (uint8_t)~TCI_WATCHED_BY_LIMITS;
}

const tci_module tci_limits_module = {.name = "limits", .attach = attach, .detach = detach};
