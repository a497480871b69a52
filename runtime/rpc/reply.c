#include "rpc/reply.h"

#include "base/logger.h"
#include "group/groups.h"
#include "rpc/local_reply.h"
#include "rpc/reply_send.h"
#include "transfer/large_send.h"
#include "transfer/send_queue.h"

#include <stdio.h>
#include <stdlib.h>

static tci_reply reply_of(const tc_ep *ep, const tci_route *route, tc_status status)
{
    return (tci_reply){.call = route->call,
                       .status = status,
                       .hops = route->hops,
                       .rank = ep->member.group != NULL ? ep->member.group->rank : TC_RANK_NONE,
                       .path_length = route->path_length};
}

tc_status tci_reply_to_origin(tc_ep *ep, const tci_route *route, tc_status status,
                              const void *data, size_t size)
{
    tc_group *group = ep->member.group;
    tc_ep *to = ep;
    tci_reply reply = reply_of(ep, route, status);
    if (route->origin != TC_RANK_NONE) {
        if (group == NULL || route->origin >= group->size)
            return TC_E_UNREACHABLE;
        if (route->origin == group->rank)
            return tci_local_reply_keep(ep->core, group, &reply, route->path, data, size);
        TC_TRY(tc_group_ep(group, route->origin, &to, NULL));
    }
    return tci_reply_send(to, &reply, route->path, data, size);
}

void tci_reply_error(tc_ep *ep, const tci_route *route, tc_status status, const char *text)
{
    size_t size = strnlen(text, TCI_REPLY_TEXT_MAX);
    tc_status sent = tci_reply_to_origin(ep, route, status, text, size);
    TC_LOG(sent == TC_OK ? TC_LOG_DEBUG : TC_LOG_WARN,
           "endpoint %u: a message failed (%s); its origin %s", ep->connection, text,
           sent == TC_OK ? "is told" : tc_status_text(sent));
}

/* --- messages that could not leave ------------------------------------------------------- */

void tci_reply_to_sender(tc_ep *ep, const tci_route *route, tc_status status, const char *text)
{
    const tci_reply reply = reply_of(ep, route, status);
    if (route->origin != TC_RANK_NONE)
        tci_reply_error(ep, route, status, text);
    else if (tci_local_reply_keep(ep->core, ep->member.group, &reply, route->path, text,
                                  strlen(text)) != TC_OK)
        TC_LOG(TC_LOG_WARN, "endpoint %u: %s, and there is no memory to say so", ep->connection,
               text);
}

static void lost(tc_ep *ep, const uint8_t *payload, size_t size, bool routed, const char *why)
{
    char text[TC_ERROR_TEXT_MAX];
    tci_route route = {.origin =
                           ep->member.group != NULL ? ep->member.group->rank : TC_RANK_NONE};
    size_t rest;
    if (routed && tci_route_decode(payload, size, &route, &rest, NULL) != TC_OK)
        return; /* it was made here */
    if (ep->member.group == NULL && route.call == 0)
        return; /* whoever sent it learns by the endpoint's end */
    if (ep->member.group != NULL)
        (void)snprintf(text, sizeof text, "rank %u could not send it on to rank %u: %.300s",
                       ep->member.group->rank, ep->member.rank, why);
    else
        (void)snprintf(text, sizeof text, "%.300s", why);
    tci_reply_to_sender(ep, &route, TC_E_PEER_LOST, text);
}

static void item_lost(tc_ep *ep, const tci_queued *item, const char *why)
{
    if (item->fn != NULL)
        lost(ep, item->payload, item->frame.payload_size, (item->frame.flags & TCI_ROUTED) != 0,
             why);
}

void tci_reply_item_unsent(tc_ep *ep, const tci_queued *item, tc_status status)
{
    const char *why = status == TC_E_REFUSED && ep->tx.refusal != NULL ? ep->tx.refusal->text
                                                                       : tc_status_text(status);
    item_lost(ep, item, why);
}

void tci_reply_unsent(tc_ep *ep)
{
    tc_error error = {0};
    const tci_large_request *large = ep->tx.large;
    (void)tc_ep_error(ep, &error);
    if (large != NULL && large->routed != 0 && large->owned != NULL) {
        /* only the part that has not left may be in memory; the route is at its end */
        size_t kept = large->size - large->start;
        lost(ep, large->payload, kept, true, error.text);
    }
    while (ep->tx.queue != NULL) {
        tci_queued *item = tci_send_queue_pop(ep);
        item_lost(ep, item, error.text);
        tci_send_queue_free(ep, item);
    }
}
