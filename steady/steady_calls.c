/* Calls that outlive connections. Each is a call of the library's (tc_call_start) while a
 * connection has it. The library ends that one by an answer, at the deadline, or with the
 * endpoint, and reports then whether its function may have run; only the last end, by the
 * endpoint, may be followed by another send. */
#include "steady_calls.h"

#include "base/clock.h"
#include "base/error_text.h"

#include <stdlib.h>
#include <string.h>

tc_status tcs_calls_init(tcs_calls *calls, size_t capacity)
{
    *calls = (tcs_calls){.capacity = capacity, .next_deadline_ns = UINT64_MAX};
    calls->table = calloc(capacity, sizeof(tcs_call *));
    return calls->table == NULL ? TC_E_NO_MEMORY : TC_OK;
}

void tcs_calls_fini(tcs_calls *calls)
{
    free(calls->table);
}

/* --- the table and the list --------------------------------------------------------------- */

static size_t slot_of(tc_steady_call_id id)
{
    return (size_t)(uint32_t)id - 1;
}

static void free_call(tcs_call *call)
{
    if (call->args != call->small)
        free(call->args);
    free(call);
}

/* Takes it out of the table and the list, whatever loop is at it. */
static void take_out(tcs_call *call)
{
    tcs_calls *calls = &call->steady->calls;
    calls->table[slot_of(call->id)] = NULL;
    calls->next_free = slot_of(call->id);
    calls->count--;
    calls->waiting -= call->waits;
    if (calls->walk == call)
        calls->walk = call->next;
    if (calls->cursor == call)
        calls->cursor = call->next;
    *(call->previous != NULL ? &call->previous->next : &calls->first) = call->next;
    *(call->next != NULL ? &call->next->previous : &calls->last) = call->previous;
}

/* There is a free slot. */
static void put_in(tcs_calls *calls, tcs_call *call)
{
    size_t slot = calls->next_free;
    while (calls->table[slot] != NULL)
        slot = slot + 1 < calls->capacity ? slot + 1 : 0;
    calls->table[slot] = call;
    calls->next_free = slot + 1 < calls->capacity ? slot + 1 : 0;
    calls->count++;
    call->id = (uint64_t)++calls->generation << 32 | (slot + 1);
    call->previous = calls->last;
    *(calls->last != NULL ? &calls->last->next : &calls->first) = call;
    calls->last = call;
}

static void set_waiting(tcs_call *call)
{
    tcs_calls *calls = &call->steady->calls;
    call->waits = true;
    /* A call that was started just now is the last one; before others the cursor goes back. */
    calls->cursor = calls->waiting == 0 && call->next == NULL ? call : calls->cursor;
    if (call->next != NULL)
        calls->cursor = calls->first;
    calls->waiting++;
    if (call->deadline_ns < calls->next_deadline_ns)
        calls->next_deadline_ns = call->deadline_ns;
}

/* --- the end ------------------------------------------------------------------------------ */

static void report(const tcs_call *call, tc_status status, tc_call_fate fate, size_t size,
                   const char *text)
{
    const tc_steady_outcome outcome = {.status = status,
                                       .fate = fate,
                                       .result_size = size,
                                       .text = text,
                                       .sent = call->sent,
                                       .unsure = call->unsure};
    call->steady->events++;
    if (call->params.done == NULL || call->abandoned)
        return;
    call->steady->in_callbacks++;
    call->params.done(call->params.user, &outcome);
    call->steady->in_callbacks--;
}

static tc_call_fate fate_without_answer(const tcs_call *call)
{
    return call->unsure > 0 ? TC_CALL_MAY_HAVE_RUN : TC_CALL_NOT_RUN;
}

static void end(tcs_call *call, tc_status status, tc_call_fate fate, size_t size,
                const char *text)
{
    take_out(call);
    report(call, status, fate, size, text);
    free_call(call);
}

/* Ends a call that waits. The rest of a payload that is partly sent goes first: until then the
 * endpoint takes no other message. So it may run yet. */
static void end_waiting(tcs_call *call, tc_status status, const char *text)
{
    if (!call->begun || call->steady->ep == NULL) {
        end(call, status, fate_without_answer(call), 0, text);
        return;
    }
    call->unsure++;
    report(call, status == TC_E_UNREACHABLE ? TC_E_TIMEOUT : status, TC_CALL_MAY_HAVE_RUN, 0,
           text);
    call->abandoned = true;
    call->deadline_ns = UINT64_MAX;
}

static bool may_be_sent_again(const tcs_call *call, const tc_call_outcome *outcome)
{
    return !call->steady->is_closing && !call->abandoned &&
           (outcome->fate == TC_CALL_NOT_RUN || call->params.mark == TC_STEADY_IDEMPOTENT) &&
           tci_clock_ns() < call->deadline_ns;
}

/* A connection that answers is a good one: the next loss begins with the shortest wait. */
static void on_end(void *user, const tc_call_outcome *outcome)
{
    tcs_call *call = user;
    call->sent_as = 0;
    call->unsure += outcome->fate == TC_CALL_MAY_HAVE_RUN;
    if (outcome->fate == TC_CALL_ANSWERED) {
        tcs_pace_reset(&call->steady->pace);
        end(call, outcome->status, TC_CALL_ANSWERED, outcome->result_size, outcome->text);
    } else if (may_be_sent_again(call, outcome)) {
        set_waiting(call);
    } else {
        const tc_call_fate fate = fate_without_answer(call);
        const bool closing = call->steady->is_closing;
        end(call, fate == TC_CALL_NOT_RUN && !closing ? TC_E_UNREACHABLE : outcome->status,
            fate, 0, outcome->text);
    }
}

/* --- sending ------------------------------------------------------------------------------ */

/* TC_OK; TC_E_AGAIN: not now, by this connection; any other status: never. */
static tc_status send_now(tcs_call *call, tc_error *err)
{
    tc_steady *steady = call->steady;
    const uint64_t left_ns =
        call->deadline_ns == UINT64_MAX ? TC_FOREVER : tci_deadline_left_ns(call->deadline_ns);
    const tc_call_params params = {.result = call->params.result,
                                   .result_capacity = call->params.result_capacity,
                                   .timeout_ns = left_ns > 0 ? left_ns : 1,
                                   .done = on_end,
                                   .user = call};
    tc_ep_info info;
    const tc_status status = tc_call_start(steady->ep, call->fn, call->args, call->size,
                                           &params, &call->sent_as, err);
    if (status == TC_OK) {
        steady->info.calls_repeated += call->sent > 0;
        call->sent++;
        return TC_OK;
    }
    if (status == TC_E_AGAIN) {
        tc_ep_query(steady->ep, &info);
        call->begun = call->size >= info.frame_payload_max / 2;
    }
    /* Another payload is partly sent, or the endpoint has ended and that is not found yet. */
    return status == TC_E_BUSY || tc_ep_error(steady->ep, NULL) != TC_OK ? TC_E_AGAIN : status;
}

static void set_sent(tcs_call *call)
{
    tcs_calls *calls = &call->steady->calls;
    call->waits = call->begun = false;
    calls->waiting--;
    if (calls->cursor == call)
        calls->cursor = call->next;
}

void tcs_calls_send(tc_steady *steady)
{
    tcs_calls *calls = &steady->calls;
    tc_error error = {TC_OK, ""};
    if (calls->cursor == NULL)
        calls->cursor = calls->first;
    while (steady->ep != NULL && calls->waiting > 0 && calls->cursor != NULL) {
        tcs_call *call = calls->cursor;
        if (!call->waits) {
            calls->cursor = call->next;
            continue;
        }
        const tc_status status = send_now(call, &error);
        if (status == TC_E_AGAIN)
            return;
        if (status != TC_OK) {
            end(call, status, fate_without_answer(call), 0, error.text);
            continue;
        }
        set_sent(call);
        if (call->abandoned) {
            (void)tc_call_cancel(steady->ctx, call->sent_as);
            take_out(call);
            free_call(call);
        }
    }
}

static tcs_call *make(tc_steady *steady, tc_ifunc *fn, const void *args, size_t size,
                      const tc_steady_call_params *params)
{
    tcs_call *call = calloc(1, sizeof *call);
    void *copy = call == NULL ? NULL : size <= sizeof call->small ? call->small : malloc(size);
    if (copy == NULL) {
        free(call);
        return NULL;
    }
    if (size > 0)
        memcpy(copy, args, size);
    const uint64_t timeout_ns =
        params->timeout_ns > 0 ? params->timeout_ns : steady->params.call_timeout_ns;
    call->steady = steady;
    call->fn = fn;
    call->args = copy;
    call->size = size;
    call->params = *params;
    call->deadline_ns = tci_deadline_after(timeout_ns);
    return call;
}

tc_status tcs_calls_start(tc_steady *steady, tc_ifunc *fn, const void *args, size_t size,
                          const tc_steady_call_params *params, tc_steady_call_id *id_out,
                          tc_error *err)
{
    tcs_calls *calls = &steady->calls;
    if (calls->count == calls->capacity)
        return tci_error_set(err, TC_E_AGAIN, "%zu calls of the steady endpoint are under way",
                             calls->count);
    tcs_call *call = make(steady, fn, args, size, params);
    if (call == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "a call of %zu bytes: out of memory", size);
    tc_status status =
        steady->ep != NULL && calls->waiting == 0 ? send_now(call, err) : TC_E_AGAIN;
    if (status != TC_OK && status != TC_E_AGAIN) {
        free_call(call);
        return status;
    }
    put_in(calls, call);
    if (status == TC_E_AGAIN)
        set_waiting(call);
    if (id_out != NULL)
        *id_out = call->id;
    return TC_OK;
}

tc_status tcs_calls_cancel(tcs_calls *calls, tc_steady_call_id id)
{
    const size_t slot = slot_of(id);
    tcs_call *call = slot < calls->capacity ? calls->table[slot] : NULL;
    if (call == NULL || call->id != id || call->abandoned)
        return TC_E_NOT_FOUND;
    if (call->sent_as != 0)
        (void)tc_call_cancel(call->steady->ctx, call->sent_as);
    call->params.done = NULL;
    if (call->waits) {
        end_waiting(call, TC_E_CLOSED, "");
        return TC_OK;
    }
    take_out(call);
    free_call(call);
    return TC_OK;
}

/* --- all calls ---------------------------------------------------------------------------- */

void tcs_calls_expire(tc_steady *steady, uint64_t now_ns)
{
    tcs_calls *calls = &steady->calls;
    if (now_ns < calls->next_deadline_ns)
        return;
    calls->next_deadline_ns = UINT64_MAX;
    calls->walk = calls->first;
    while (calls->walk != NULL) {
        tcs_call *call = calls->walk;
        calls->walk = call->next;
        if (call->waits && call->deadline_ns <= now_ns)
            end_waiting(call, call->unsure > 0 ? TC_E_TIMEOUT : TC_E_UNREACHABLE,
                        call->unsure > 0 ? "no answer came in time, by any connection"
                                         : "the call could not be sent in time");
        else if (call->waits && call->deadline_ns < calls->next_deadline_ns)
            calls->next_deadline_ns = call->deadline_ns;
    }
}

void tcs_calls_disconnected(tc_steady *steady)
{
    tcs_calls *calls = &steady->calls;
    for (tcs_call *call = calls->first, *next; call != NULL; call = next) {
        next = call->next;
        call->begun = false;
        if (!call->abandoned)
            continue;
        take_out(call);
        free_call(call);
    }
}

void tcs_calls_end_waiting(tc_steady *steady, tc_status status, const char *text)
{
    tcs_calls *calls = &steady->calls;
    calls->walk = calls->first;
    while (calls->walk != NULL) {
        tcs_call *call = calls->walk;
        calls->walk = call->next;
        if (call->waits)
            end(call, call->unsure == 0 && !steady->is_closing ? TC_E_UNREACHABLE : status,
                fate_without_answer(call), 0, text);
    }
}
