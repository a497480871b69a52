/* Calls that wait for a reply: how they start and end, their deadlines, and the parts of
 * replies. */
#include "modules/calls/calls.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "base/small_copy.h"
#include "core/current.h"
#include "core/ep.h"
#include "core/sole_user.h"
#include "modules/calls/brief_out.h"
#include "modules/calls/call_table.h"
#include "modules/calls/groups.h"
#include "modules/calls/unrun.h"
#include "transfer/send.h"
#include "transfer/send_error.h"

#include <stdio.h>
#include <stdlib.h>

/* For calls that a process other than the peer they were sent to may still answer. */
#define GRACE_NS 1000000000ull

void tci_calls_init(tci_calls *calls)
{
    *calls = (tci_calls){.head = {calls->head.ops, UINT64_MAX}};
}

void tci_calls_fini(tci_calls *calls)
{
    for (size_t i = 0; i < calls->places; i++)
        free(calls->table[i].path);
    free(calls->table);
    tci_calls_init(calls);
}

/* --- ending ------------------------------------------------------------------------------ */

/* Returns the endpoint that is current in the callback: of the message that started the call,
 * as the callback may have its ticket. Without one, it is the reply's, or any of the group. */
static tc_ep *place_of(const tci_core *core, const tci_call *call, tc_ep *answers)
{
    tc_ep *ep = call->asked_by != NULL ? call->asked_by : answers;
    if (ep != NULL || call->group == 0)
        return ep;
    ep = core->first;
    while (ep != NULL && (ep->member.group == NULL || ep->member.group->id != call->group))
        ep = ep->next;
    return ep;
}

/* Frees the slot before the callback runs, which may start another call. */
static void finish(tci_core *core, tci_call *call, const tc_call_outcome *outcome)
{
    const tc_call_callback done = call->done;
    void *user = call->user;
    tci_current *current = tci_current_get();
    const tci_current outer = *current;
    tc_ep *place = place_of(core, call, outer.ep);
    tci_call_table_close(tci_calls_of(core), call);
    tci_pending_note_event(&core->pending);
    if (done == NULL)
        return;
    *current = (tci_current){.ep = place};
    const unsigned outer_busy = tci_pending_enter(&core->pending, TCI_RUNNING);
    done(user, outcome);
    tci_pending_leave(&core->pending, TCI_RUNNING, outer_busy);
    *current = outer;
}

static void fail(tci_core *core, tci_call *call, tc_status status, const char *text,
                 tc_call_fate fate)
{
    const tc_call_outcome outcome = {
        .status = status, .rank = TC_RANK_NONE, .text = text, .fate = fate};
    finish(core, call, &outcome);
}

void tci_calls_expire(tci_core *core, uint64_t now_ns)
{
    tci_calls *calls = tci_calls_of(core);
    if (now_ns < calls->head.next_deadline_ns)
        return;
    uint64_t next_ns = UINT64_MAX;
    for (size_t i = 0; i < calls->places; i++) {
        tci_call *call = &calls->table[i];
        if (!call->is_open)
            continue;
        TCI_INVARIANT_IS(call_deadline, calls->head.next_deadline_ns, <=, call->deadline_ns);
        if (now_ns < call->deadline_ns)
            next_ns = call->deadline_ns < next_ns ? call->deadline_ns : next_ns;
        else if (call->group != 0 && call->ep == NULL)
            fail(core, call, TC_E_PEER_LOST,
                 "no answer came, and the member that was called first is gone",
                 TC_CALL_MAY_HAVE_RUN);
        else
            fail(core, call, TC_E_TIMEOUT, "no answer came in time", TC_CALL_MAY_HAVE_RUN);
    }
    /* A callback may have started another call, which expires sooner. */
    for (size_t i = 0; i < calls->places; i++) {
        if (calls->table[i].is_open && calls->table[i].deadline_ns < next_ns)
            next_ns = calls->table[i].deadline_ns;
    }
    calls->head.next_deadline_ns = next_ns;
}

/* An endpoint that has ended, and why. */
typedef struct lost_ep {
    const tc_ep *ep;
    const tc_error *error;
} lost_ep;

/* Ends a call that the peer has not consumed. In a group it has the time of the others. */
static void lose_unrun(void *user, tc_call_id id)
{
    const lost_ep *lost = user;
    tci_call *call = tci_call_table_find(tci_calls_of(lost->ep->core), id);
    if (call == NULL || call->ep != lost->ep || call->group != 0)
        return;
    if (call->asked_by == lost->ep)
        call->asked_by = NULL;
    fail(lost->ep->core, call, lost->error->status, lost->error->text, TC_CALL_NOT_RUN);
}

void tci_calls_lose(tci_core *core, const tc_ep *ep, const tc_error *error)
{
    tci_calls *calls = tci_calls_of(core);
    lost_ep lost = {ep, error};
    if (calls->count > 0)
        tci_unrun_visit(ep, lose_unrun, &lost);
    const uint64_t grace_ns = tci_deadline_after(GRACE_NS);
    for (size_t i = 0; i < calls->places && calls->count > 0; i++) {
        tci_call *call = &calls->table[i];
        if (call->asked_by == ep)
            call->asked_by = NULL;
        if (!call->is_open || call->ep != ep)
            continue;
        call->ep = NULL;
        if (call->group == 0) {
            fail(core, call, error->status, error->text, TC_CALL_MAY_HAVE_RUN);
            continue;
        }
        if (call->deadline_ns > grace_ns)
            call->deadline_ns = grace_ns;
        if (calls->head.next_deadline_ns > call->deadline_ns)
            calls->head.next_deadline_ns = call->deadline_ns;
    }
}

void tci_calls_end(tci_core *core)
{
    tci_calls *calls = tci_calls_of(core);
    for (size_t i = 0; i < calls->places; i++) {
        if (calls->table[i].is_open)
            fail(core, &calls->table[i], TC_E_CLOSED, "the context was destroyed",
                 TC_CALL_MAY_HAVE_RUN);
    }
}

void tci_calls_refused(tci_core *core, const tc_ep *ep, uint16_t index, const tc_error *error)
{
    tci_calls *calls = tci_calls_of(core);
    for (size_t i = 0; i < calls->places && calls->count > 0; i++) {
        tci_call *call = &calls->table[i];
        if (call->is_open && call->in_fragments > 0 && call->ep == ep && call->index == index)
            fail(core, call, error->status, error->text, TC_CALL_ANSWERED);
    }
}

void tci_calls_too_large(tci_core *core, const tc_ep *ep, uint16_t index, const tc_error *error)
{
    const tci_calls *calls = tci_calls_of(core);
    tci_call *largest = NULL;
    for (size_t i = 0; i < calls->places; i++) {
        tci_call *call = &calls->table[i];
        if (call->is_open && call->in_fragments > 0 && call->ep == ep && call->index == index &&
            (largest == NULL || call->in_fragments > largest->in_fragments))
            largest = call;
    }
    if (largest != NULL)
        fail(core, largest, error->status, error->text, TC_CALL_ANSWERED);
}

/* --- replies ----------------------------------------------------------------------------- */

static void read_path(const uint8_t *bytes, uint32_t length, uint32_t *path)
{
    tci_reader r;
    tci_reader_init(&r, bytes, sizeof *path * (size_t)length);
    for (uint32_t i = 0; i < length; i++)
        path[i] = tci_read_u32(&r);
}

static void finish_answered(tci_core *core, tci_call *call, const tci_reply *reply,
                            const uint32_t *path, uint32_t path_length, const char *text)
{
    uint32_t kept[TCI_ROUTE_PATH_MAX];
    TCI_INVARIANT_IS(route_path, path_length, <=, TCI_ROUTE_PATH_MAX);
    if (path_length > 0) /* closing the call frees its path */
        memcpy(kept, path, sizeof *path * path_length);
    const tc_call_outcome outcome = {
        .status = (tc_status)reply->status,
        .result_size = reply->status == TC_OK || text == NULL ? (size_t)reply->total : 0,
        .hops = reply->hops,
        .rank = reply->rank,
        .path = kept,
        .path_length = path_length,
        .text = text};
    finish(core, call, &outcome);
}

/* Ends the call with the status and text that the peer sent. */
static void take_failure(tci_core *core, tci_call *call, const tci_reply *reply,
                         const uint32_t *path, const uint8_t *part, size_t part_size)
{
    char text[TC_ERROR_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%.*s", (int)part_size, (const char *)part);
    finish_answered(core, call, reply, path, reply->path_length, text);
}

static void take_too_large(tci_core *core, tci_call *call, const tci_reply *reply,
                           const uint32_t *path)
{
    char text[128];
    (void)snprintf(text, sizeof text, "an answer of %llu bytes, room for %zu",
                   (unsigned long long)reply->total, call->result_capacity);
    tc_call_outcome outcome = {.status = TC_E_TOO_LARGE,
                               .result_size = (size_t)reply->total,
                               .hops = reply->hops,
                               .rank = reply->rank,
                               .path = path,
                               .path_length = reply->path_length,
                               .text = text};
    finish(core, call, &outcome);
}

/* Parts of a reply arrive in order, as one endpoint carries them. */
static void take_part(tci_core *core, tci_call *call, const tci_reply *reply,
                      const uint32_t *path, const uint8_t *part, size_t part_size)
{
    TCI_INVARIANT_IS(call_received, call->received, <=, call->result_capacity);
    if (reply->offset != call->received)
        return; /* part of another reply than the one that was begun */
    if (part_size > 0)
        tci_small_copy_any((uint8_t *)call->result + reply->offset, part, part_size);
    call->received += part_size;
    TCI_INVARIANT_IS(call_received, call->received, <=, call->result_capacity);
    if (call->received == reply->total) {
        if (call->path != NULL)
            path = call->path;
        uint32_t length = call->path != NULL ? call->path_length : reply->path_length;
        finish_answered(core, call, reply, path, length, NULL);
        return;
    }
    if (reply->path_length > 0 && call->path == NULL) {
        call->path = malloc(sizeof *path * reply->path_length);
        if (call->path != NULL) {
            memcpy(call->path, path, sizeof *path * reply->path_length);
            call->path_length = reply->path_length;
        }
    }
}

/* Returns whether the sender of a reply may answer the call: a member of its group, or its own
 * endpoint, which may belong to a group that this side joined after the call. */
static bool may_answer(const tci_answerer *by, const tci_call *call)
{
    if (call->group != 0 && by->group != NULL)
        return by->group->id == call->group;
    return by->ep != NULL ? by->ep == call->ep : by->group == NULL;
}

void tci_calls_answer(tci_core *core, const tci_answerer *by, const tci_reply *reply,
                      const uint8_t *path, const uint8_t *part, size_t part_size)
{
    uint32_t ranks[TCI_ROUTE_PATH_MAX];
    tci_call *call = tci_call_table_find(tci_calls_of(core), reply->call);
    if (call == NULL || !may_answer(by, call)) {
        core->counters[TCI_REPLIES_LATE] += reply->call != TCI_REPLY_PADDING;
        return;
    }
    read_path(path, reply->path_length, ranks);
    if (reply->status != TC_OK)
        take_failure(core, call, reply, ranks, part, part_size);
    else if (reply->total > call->result_capacity)
        take_too_large(core, call, reply, ranks);
    else
        take_part(core, call, reply, ranks, part, part_size);
}

void tci_calls_answer_whole(tci_core *core, const tci_answerer *by, tc_call_id id,
                            const uint8_t *answer, size_t size)
{
    const uint32_t rank = by->group != NULL ? by->ep->member.rank : TC_RANK_NONE;
    tci_call *call = tci_call_table_find(tci_calls_of(core), id);
    if (call == NULL || !may_answer(by, call)) {
        core->counters[TCI_REPLIES_LATE]++;
        return;
    }
    if (size > call->result_capacity) {
        take_too_large(core, call, &(tci_reply){.total = size, .rank = rank}, NULL);
        return;
    }
    if (call->received != 0) /* part of another answer, which was begun */
        return;
    if (size > 0)
        tci_small_copy_any(call->result, answer, size);
    const tc_call_outcome outcome = {.status = TC_OK, .result_size = size, .rank = rank};
    finish(core, call, &outcome);
}

/* --- the calls --------------------------------------------------------------------------- */

static tc_status why_not_sent(const tci_core *core, tc_status status, tc_error *err)
{
    if (status == TC_E_AGAIN)
        return tci_error_set(err, status, "the peer has no room for the call now");
    (void)tci_send_error_read(core, err);
    return status;
}

/* NAME_payload_init may start other calls, for which the table may move, or cancel this one:
 * *call is found again, or becomes NULL. */
static tc_status send_slowly(tc_ep *ep, tc_ifunc *fn, const tci_route *route,
                             const void *source_args, size_t size, tci_call **call)
{
    uint8_t tail[TCI_ROUTE_BYTES];
    tci_route_encode(route, tail);
    tci_outgoing out = {.fn = fn,
                        .args = source_args,
                        .args_size = size,
                        .flags = TCI_ROUTED,
                        .tail = {tail, sizeof tail}};
    const tc_status status = tci_send_message(ep, &out);
    *call = tci_call_table_find(tci_calls_of(ep->core), route->call);
    if (*call != NULL && status == TC_OK && out.payload_size > ep->tx.payload_max)
        (*call)->in_fragments = out.payload_size;
    return status;
}

static bool send_briefly(tc_ep *ep, const tc_ifunc *fn, tc_call_id id, const void *source_args,
                         size_t size)
{
    return ep->tx.takes_brief && ep->tx.bindings[fn->index] == TCI_TX_PLAIN &&
           fn->alignment <= TCI_PAYLOAD_ALIGNMENT_MIN &&
           tci_brief_out(ep, fn->call_word | (uint64_t)TCI_BRIEF << 56, id, source_args, size,
                         true);
}

tc_status tc_call_start_sized(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                              const tc_call_params *given, size_t params_size,
                              tc_call_id *call_out, tc_error *err)
{
    tci_core *core = ep->core;
    tci_calls *calls = tci_calls_of(core);
    tci_call *call;
    tci_route route;
    tc_call_id id;
    tc_call_params params;
    TC_TRY(tci_sized_struct_take(&params, sizeof params, given, params_size, err));
    TC_TRY(tci_call_table_open(calls, &call, &id, err));
    call->ep = ep;
    call->asked_by = tci_current_get()->ep;
    if (call->asked_by != NULL && call->asked_by->core != core)
        call->asked_by = NULL;
    call->group = ep->member.group != NULL ? ep->member.group->id : 0;
    call->index = fn->index;
    call->done = params.done;
    call->user = params.user;
    call->result = params.result;
    call->result_capacity = params.result_capacity;
    call->deadline_ns = tci_deadline_about(params.timeout_ns != 0 ? params.timeout_ns
                                                                  : core->options.call_timeout);
    const uint32_t hop_limit =
        params.hop_limit != 0 ? params.hop_limit : (uint32_t)core->options.hop_limit;
    bool entered = tci_sole_user_enter(core, "tc_call_start");
    tc_status status = TC_OK;
    if (params.trace != 0 || hop_limit != TCI_ROUTE_HOPS_DEFAULT ||
        !send_briefly(ep, fn, id, source_args, size)) {
        route.call = id;
        route.origin =
            ep->member.group != NULL ? tc_group_rank(ep->member.group) : TC_RANK_NONE;
        route.hops = 0;
        route.hop_limit = hop_limit;
        route.traced = params.trace != 0;
        route.path_length = 0;
        if (!tci_send_routed_now(ep, fn, &route, source_args, size))
            status = send_slowly(ep, fn, &route, source_args, size, &call);
    }
    tci_sole_user_leave(core, entered);
    if (status != TC_OK) {
        if (call != NULL)
            tci_call_table_close(calls, call);
        return why_not_sent(core, status, err);
    }
    if (call != NULL && calls->head.next_deadline_ns > call->deadline_ns)
        calls->head.next_deadline_ns = call->deadline_ns;
    TCI_INVARIANT(call_deadline,
                  call == NULL || calls->head.next_deadline_ns <= call->deadline_ns);
    core->counters[TCI_CALLS_STARTED]++;
    if (call_out != NULL)
        *call_out = id;
    return TC_OK;
}

tc_status tci_calls_cancel(tci_calls *calls, tc_call_id id)
{
    tci_call *call = tci_call_table_find(calls, id);
    if (call == NULL)
        return TC_E_NOT_FOUND;
    tci_call_table_close(calls, call);
    return TC_OK;
}
