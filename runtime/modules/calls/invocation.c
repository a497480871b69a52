/* The calls of <tc/entry.h> that NAME_main makes about the message it was called for. */
#include "modules/calls/invocation.h"

#include "base/assertion.h"
#include "core/current.h"
#include "modules/calls/groups.h"
#include "modules/calls/calls.h"
#include "modules/calls/reply.h"
#include "modules/calls/reply_memory.h"
#include "transfer/large_send.h"
#include "transfer/send.h"

#include <stdio.h>
#include <tc/entry.h>

void tci_invocation_end(tci_invocation *invocation, tc_ep *ep)
{
    TCI_INVARIANT(current_message, tci_current_get()->invocation == invocation);
    if (invocation->begun)
        tci_reply_memory_give_back(invocation);
    if (invocation->failure != TC_OK && !invocation->moved)
        tci_reply_error(ep, &invocation->route, invocation->failure, invocation->text);
    else if (invocation->route.call != 0 &&
             tci_reply_to_origin(ep, &invocation->route, TC_OK, NULL, 0) != TC_OK)
        ep->core->counters[TCI_REPLIES_UNSENT]++;
}

void tci_invocation_refuse(tc_ep *ep, uint8_t flags, const uint8_t *payload, size_t size,
                           const tc_error *error)
{
    tci_route route;
    size_t rest;
    if (tci_calls_route(ep, flags, payload, size, &route, &rest, NULL) == TC_OK)
        tci_reply_error(ep, &route, error->status, error->text);
}

void tci_invocation_answer(tc_ep *ep, uint64_t call, const uint8_t *answer, size_t size)
{
    const tci_answerer by = {.ep = ep, .group = ep->member.group};
    tci_calls_answer_whole(ep->core, &by, call, answer, size);
}

void tci_invocation_refused(tc_ep *ep, uint16_t slot, bool payload_only)
{
    const tc_error error = *ep->tx.refusal;
    const tci_large_request *large = ep->tx.large;
    tci_route route;
    size_t rest;
    if (!payload_only) {
        tci_calls_refused(ep->core, ep, slot, &error);
        return;
    }
    if (large == NULL || !large->refused || large->routed == 0 || large->owned == NULL)
        tci_calls_too_large(ep->core, ep, slot, &error);
    else if (tci_route_decode(large->payload, large->size - large->start, &route, &rest,
                              NULL) == TC_OK)
        tci_reply_to_sender(ep, &route, error.status, error.text);
}

tc_status tci_invocation_reply(tc_ep *ep, uint8_t flags, const uint8_t *payload, size_t size,
                               tc_error *err)
{
    const tci_answerer by = {.ep = ep, .group = ep->member.group};
    tci_reply reply;
    const uint8_t *path, *part;
    size_t part_size;
    if ((flags & TCI_BRIEF) != 0) {
        tci_invocation_answer(ep, tci_route_brief(payload, size), payload,
                              size - TCI_BRIEF_BYTES);
        return TC_OK;
    }
    TC_TRY(tci_reply_decode(payload, size, &reply, &path, &part, &part_size, err));
    if (reply.call != 0)
        tci_calls_answer(ep->core, &by, &reply, path, part, part_size);
    else if (ep->member.group != NULL)
        tci_group_note_failure(ep->member.group, (tc_status)reply.status, part, part_size);
    return TC_OK;
}

/* The call is answered, or others have to do so. */
static void let_go(tci_invocation *invocation)
{
    invocation->route.call = 0;
    invocation->moved = true;
    if (__builtin_expect(invocation->begun, 0))
        tci_reply_memory_give_back(invocation);
}

/* --- the current message ----------------------------------------------------------------- */

static tc_group *current_group(void)
{
    const tci_current *current = tci_current_get();
    return current->ep != NULL ? current->ep->member.group : NULL;
}

uint32_t tc_self_rank(void)
{
    const tc_group *group = current_group();
    return group != NULL ? group->rank : TC_RANK_NONE;
}

uint32_t tc_self_size(void)
{
    const tc_group *group = current_group();
    return group != NULL ? group->size : 0;
}

/* --- forwarding -------------------------------------------------------------------------- */

static tc_status count_hop(tci_route *route, uint32_t rank, const tci_core *core)
{
    uint64_t limit = route->hop_limit;
    if (limit > core->options.hop_limit)
        limit = core->options.hop_limit;
    if (route->hops >= limit)
        return TC_E_HOPS;
    route->hops++;
    if (route->traced && route->path_length < TCI_ROUTE_PATH_MAX)
        route->path[route->path_length++] = rank;
    TCI_INVARIANT_IS(route_path, route->path_length, <=, TCI_ROUTE_PATH_MAX);
    TCI_INVARIANT_IS(route_hops, route->hops, <=, limit);
    return TC_OK;
}

static tc_status send_on(tc_group *group, uint32_t rank, tc_ifunc *fn, tci_route *route,
                         const void *payload, size_t size)
{
    const uint32_t hops = route->hops, path_length = route->path_length;
    tc_ep *ep;
    tc_status status = count_hop(route, group->rank, group->core);
    TCI_INVARIANT(route_hops, route->hops == hops + (status == TC_OK));
    if (status == TC_OK)
        status = tc_group_ep(group, rank, &ep, NULL);
    if (status == TC_OK)
        status = tci_send_routed(ep, fn, route, payload, size);
    if (status == TC_OK) {
        group->core->counters[TCI_MESSAGES_FORWARDED]++;
        route->call = 0; /* the call travels on with the message */
    }
    route->hops = hops;
    route->path_length = path_length;
    return status;
}

static void describe_failure(const tc_group *group, uint32_t rank, const tci_route *route,
                             tc_status status, char *text, size_t capacity)
{
    if (status == TC_E_HOPS)
        (void)snprintf(text, capacity,
                       "rank %u does not send it on: it has made %u hops, the limit",
                       group->rank, route->hops);
    else
        (void)snprintf(text, capacity, "rank %u could not send it on to rank %u: %s",
                       group->rank, rank, tc_status_text(status));
}

/* Forwards a message that came directly from its origin and has no route yet. */
static tc_status forward_plain(tc_ep *ep, tc_ifunc *fn, uint32_t rank, const void *payload,
                               size_t size)
{
    char text[256];
    tci_route route;
    route.call = 0;
    route.origin = ep->member.rank;
    route.hops = 0;
    route.hop_limit = (uint32_t)ep->core->options.hop_limit;
    route.traced = 0;
    route.path_length = 0;
    tc_status status = send_on(ep->member.group, rank, fn, &route, payload, size);
    if (status != TC_OK) {
        describe_failure(ep->member.group, rank, &route, status, text, sizeof text);
        tci_reply_error(ep, &route, status, text);
    }
    return status;
}

static tc_status forward_routed(tci_invocation *invocation, tc_ep *ep, tc_ifunc *fn,
                                uint32_t rank, const void *payload, size_t size)
{
    tc_status status = TC_E_UNREACHABLE;
    if (ep->member.group != NULL)
        status = send_on(ep->member.group, rank, fn, &invocation->route, payload, size);
    if (status == TC_OK) {
        let_go(invocation);
        return TC_OK;
    }
    invocation->failure = status;
    if (ep->member.group != NULL)
        describe_failure(ep->member.group, rank, &invocation->route, status, invocation->text,
                         sizeof invocation->text);
    else
        (void)snprintf(invocation->text, sizeof invocation->text,
                       "it could not be sent on to rank %u: it came from outside a group",
                       rank);
    return status;
}

static tc_status forward(const tci_current *current, tc_ifunc *fn, uint32_t rank,
                         const void *payload, size_t size)
{
    if (current->invocation != NULL)
        return forward_routed(current->invocation, current->ep, fn, rank, payload, size);
    if (current->ep->member.group == NULL)
        return TC_E_UNREACHABLE;
    return forward_plain(current->ep, fn, rank, payload, size);
}

tc_status tc_forward(uint32_t rank, const void *payload, size_t size)
{
    const tci_current *current = tci_current_get();
    if (current->ep == NULL || current->fn == NULL)
        return TC_E_INVALID;
    return forward(current, current->fn, rank, payload, size);
}

tc_status tc_forward_function(tc_ifunc *fn, uint32_t rank, const void *payload, size_t size)
{
    const tci_current *current = tci_current_get();
    if (current->ep == NULL || fn == NULL || fn->registry != &current->ep->core->registry)
        return TC_E_INVALID;
    return forward(current, fn, rank, payload, size);
}

/* --- answering --------------------------------------------------------------------------- */

static tc_status reply(tc_status status, const void *data, size_t size)
{
    const tci_current *current = tci_current_get();
    tci_invocation *invocation = current->invocation;
    if (current->ep == NULL || invocation == NULL || invocation->route.call == 0)
        return TC_E_NOT_FOUND;
    tc_status sent = tci_reply_to_origin(current->ep, &invocation->route, status, data, size);
    if (sent != TC_OK) {
        invocation->failure = sent;
        (void)snprintf(invocation->text, sizeof invocation->text,
                       "its answer of %zu bytes could not be sent: %s", size,
                       tc_status_text(sent));
        return sent;
    }
    let_go(invocation);
    return TC_OK;
}

tc_status tc_reply(const void *data, size_t size)
{
    return reply(TC_OK, data, size);
}

tc_status tc_reply_begin(size_t size, void **memory_out)
{
    const tci_current *current = tci_current_get();
    tci_invocation *invocation = current->invocation;
    if (current->ep == NULL || invocation == NULL || invocation->route.call == 0)
        return TC_E_NOT_FOUND;
    if (invocation->begun)
        tci_reply_memory_give_back(invocation);
    return tci_reply_memory_take(current->ep, invocation, size, memory_out);
}

tc_status tc_reply_commit(size_t size)
{
    tci_invocation *invocation = tci_current_get()->invocation;
    if (invocation == NULL || !invocation->begun || size > invocation->memory->size)
        return TC_E_INVALID;
    if (!tci_reply_memory_commit(invocation, size))
        return tc_reply(invocation->memory->bytes, size);
    let_go(invocation);
    return TC_OK;
}

tc_status tc_reply_error(tc_status status, const char *text)
{
    return status < 0 ? reply(status, text, strnlen(text, TCI_REPLY_TEXT_MAX)) : TC_E_INVALID;
}

tc_status tc_detach(tc_call_ticket *ticket_out)
{
    tci_invocation *invocation = tci_current_get()->invocation;
    if (invocation == NULL || invocation->route.call == 0)
        return TC_E_NOT_FOUND;
    *ticket_out = (tc_call_ticket){.call = invocation->route.call,
                                   .origin = invocation->route.origin,
                                   .hops = invocation->route.hops};
    let_go(invocation);
    return TC_OK;
}

static tc_status reply_to(const tc_call_ticket *ticket, tc_status status, const void *data,
                          size_t size)
{
    const tci_current *current = tci_current_get();
    tci_route route;
    if (current->ep == NULL || ticket->call == 0)
        return TC_E_INVALID;
    route.call = ticket->call;
    route.origin = ticket->origin;
    route.hops = ticket->hops;
    route.path_length = 0;
    return tci_reply_to_origin(current->ep, &route, status, data, size);
}

tc_status tc_reply_to(const tc_call_ticket *ticket, const void *data, size_t size)
{
    return reply_to(ticket, TC_OK, data, size);
}

tc_status tc_reply_error_to(const tc_call_ticket *ticket, tc_status status, const char *text)
{
    return status < 0 ? reply_to(ticket, status, text, strnlen(text, TCI_REPLY_TEXT_MAX))
                      : TC_E_INVALID;
}
