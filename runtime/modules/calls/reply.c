/* Splits replies into parts, and sends each as a frame or queues it. */
#include "modules/calls/reply.h"

#include "base/logger.h"
#include "base/small_copy.h"
#include "modules/calls/brief_out.h"
#include "modules/calls/groups.h"
#include "modules/calls/local_reply.h"
#include "transfer/frame_out.h"
#include "transfer/large_send.h"
#include "transfer/send_queue.h"

#include <stdio.h>
#include <stdlib.h>

/* Queued replies may take this many times the option send_queue_bytes, as no caller could send
 * them again. */
#define REPLIES_SHARE 4u
/* Sizes of a reply's part: several fit a ring, and one fits the smallest ring. */
#define PART_BYTES_MAX 16384u
#define PART_BYTES_ANYWHERE 1024u

/* --- into an endpoint's ring ------------------------------------------------------------- */

static void write_reply(uint8_t *payload, const tci_reply *reply, const uint32_t *path,
                        const uint8_t *part, size_t part_size)
{
    size_t path_bytes = sizeof *path * reply->path_length;
    tci_reply_encode(reply, payload);
    if (path_bytes > 0)
        memcpy(payload + TCI_REPLY_BYTES, path, path_bytes);
    tci_small_copy_any(payload + TCI_REPLY_BYTES + path_bytes, part, part_size);
}

bool tci_reply_may_leave(const tc_ep *ep)
{
    return tci_ep_takes_messages(ep) && !ep->tx.building && ep->tx.queue == NULL &&
           ep->tx.large == NULL;
}

static uint8_t *try_reply_frame(tc_ep *ep, size_t payload_size)
{
    if (ep->tx.frame_limit == 0 && !tci_reply_may_leave(ep))
        return NULL;
    return tci_frame_out_begin(ep, TCI_FRAME_REPLY, TCI_FRAME_HEADER_BYTES + payload_size);
}

void tci_reply_publish(tc_ep *ep, uint8_t *frame, size_t payload_size)
{
    const tci_frame header = {.payload_size = (uint32_t)payload_size, .kind = TCI_FRAME_REPLY};
    tci_frame_out_commit(ep, frame, TCI_FRAME_HEADER_BYTES + payload_size, &header);
    ep->tx.control_frames++;
}

static tc_status send_part(tc_ep *ep, const tci_reply *reply, const uint32_t *path,
                           const uint8_t *part, size_t part_size)
{
    size_t payload_size = TCI_REPLY_BYTES + sizeof *path * reply->path_length + part_size;
    uint8_t *frame = try_reply_frame(ep, payload_size);
    if (frame != NULL) {
        write_reply(frame + TCI_FRAME_HEADER_BYTES, reply, path, part, part_size);
        tci_reply_publish(ep, frame, payload_size);
        return TC_OK;
    }
    const tci_frame header = {.payload_size = (uint32_t)payload_size, .kind = TCI_FRAME_REPLY};
    tci_queued *item = tci_send_queue_make(&header);
    if (item == NULL)
        return TC_E_NO_MEMORY;
    write_reply(item->payload, reply, path, part, part_size);
    tci_send_queue_append(ep, item);
    return TC_OK;
}

/* Returns whether a reply has no path and is one part, of which a frame may leave at once. */
static bool is_short(const tc_ep *ep, const tci_reply *reply, size_t size)
{
    return reply->path_length == 0 && size <= PART_BYTES_ANYWHERE - TCI_REPLY_BYTES &&
           TCI_REPLY_BYTES + size < ep->tx.frame_limit;
}

static size_t part_bytes(const tc_ep *ep, const tci_reply *reply)
{
    size_t capacity = tci_ep_is_open(ep) ? ep->tx.payload_max : PART_BYTES_ANYWHERE;
    size_t head = TCI_REPLY_BYTES + 4u * (size_t)reply->path_length;
    if (capacity > PART_BYTES_MAX)
        capacity = PART_BYTES_MAX;
    return head < capacity ? capacity - head : 0;
}

/* Cuts a path short that would leave no space for the reply. */
static void shorten_path(const tc_ep *ep, tci_reply *reply)
{
    while (reply->path_length > 0 && part_bytes(ep, reply) < PART_BYTES_ANYWHERE / 2)
        reply->path_length /= 2;
}

static tc_status send_reply(tc_ep *ep, tci_reply *reply, const uint32_t *path, const void *data,
                            size_t size)
{
    uint64_t queue_max = ep->core->options.send_queue_bytes;
    const uint8_t *bytes = data;
    tc_status status = TC_OK;
    if (ep->state >= TCI_EP_CLOSED)
        return tc_ep_error(ep, NULL);
    if (size > queue_max && size > PART_BYTES_ANYWHERE)
        return TC_E_TOO_LARGE;
    if (size > PART_BYTES_ANYWHERE && ep->tx.queue_bytes + size > REPLIES_SHARE * queue_max)
        return TC_E_AGAIN;
    shorten_path(ep, reply);
    reply->total = size;
    reply->offset = 0;
    do {
        size_t left = size - (size_t)reply->offset, n = part_bytes(ep, reply);
        n = left < n ? left : n;
        if (n == 0 && left > 0)
            return TC_E_TOO_LARGE; /* a frame has no space for even one byte */
        status = send_part(ep, reply, path, n > 0 ? bytes + reply->offset : NULL, n);
        reply->offset += n;
        reply->path_length = 0; /* only the first part has the path */
    } while (status == TC_OK && reply->offset < size && ep->state < TCI_EP_CLOSED);
    return ep->state < TCI_EP_CLOSED ? status : tc_ep_error(ep, NULL);
}

/* --- to the origin ----------------------------------------------------------------------- */

tci_reply tci_reply_head(const tc_ep *ep, const tci_route *route, tc_status status)
{
    return (tci_reply){.call = route->call,
                       .status = status,
                       .hops = route->hops,
                       .rank = ep->member.group != NULL ? ep->member.group->rank : TC_RANK_NONE,
                       .path_length = route->path_length};
}

static bool is_local(const tc_ep *ep, const tci_route *route)
{
    return route->origin != TC_RANK_NONE && ep->member.group != NULL &&
           ep->member.group->rank == route->origin;
}

bool tci_reply_may_be(const tc_ep *ep, const tci_route *route, size_t size)
{
    return size <= PART_BYTES_ANYWHERE || size <= ep->core->options.send_queue_bytes ||
           is_local(ep, route);
}

tc_ep *tci_reply_ring_of(tc_ep *ep, const tci_route *route)
{
    tc_group *group = ep->member.group;
    tc_ep *to = ep;
    if (route->path_length > 0 || is_local(ep, route))
        return NULL;
    if (route->origin != TC_RANK_NONE &&
        (group == NULL || route->origin >= group->size ||
         tc_group_ep(group, route->origin, &to, NULL) != TC_OK))
        return NULL;
    return to;
}

/* Sends an answer that went well to a call of the peer itself, if it fits one frame that may
 * leave at once. */
static bool answer_briefly(tc_ep *ep, const tci_route *route, const void *data, size_t size)
{
    const bool is_peers =
        route->origin == TC_RANK_NONE ||
        (ep->member.group != NULL && ep->member.rank == route->origin && !is_local(ep, route));
    return is_peers && route->hops == 0 && route->path_length == 0 &&
           size <= PART_BYTES_ANYWHERE && tci_brief_out_answer(ep, route->call, data, size);
}

tc_status tci_reply_to_origin(tc_ep *ep, const tci_route *route, tc_status status,
                              const void *data, size_t size)
{
    tc_group *group = ep->member.group;
    tc_ep *to = ep;
    if (status == TC_OK && answer_briefly(ep, route, data, size))
        return TC_OK;
    tci_reply reply = tci_reply_head(ep, route, status);
    if (route->origin != TC_RANK_NONE) {
        if (group == NULL || route->origin >= group->size)
            return TC_E_UNREACHABLE;
        if (route->origin == group->rank)
            return tci_local_reply_keep(ep->core, group, &reply, route->path, data, size);
        TC_TRY(tc_group_ep(group, route->origin, &to, NULL));
    }
    if (!is_short(to, &reply, size))
        return send_reply(to, &reply, route->path, data, size);
    reply.total = size;
    const tc_status sent = send_part(to, &reply, route->path, data, size);
    return to->state < TCI_EP_CLOSED ? sent : tc_ep_error(to, NULL);
}

void tci_reply_error(tc_ep *ep, const tci_route *route, tc_status status, const char *text)
{
    size_t size = strnlen(text, TCI_REPLY_TEXT_MAX);
    tc_status sent = tci_reply_to_origin(ep, route, status, text, size);
    TC_LOG_RATIONED(&ep->log, sent == TC_OK ? TC_LOG_DEBUG : TC_LOG_WARN,
                    "endpoint %u: a message failed (%s); its origin %s", ep->connection, text,
                    sent == TC_OK ? "is notified" : tc_status_text(sent));
}

/* --- messages that could not leave ------------------------------------------------------- */

void tci_reply_to_sender(tc_ep *ep, const tci_route *route, tc_status status, const char *text)
{
    const tci_reply reply = tci_reply_head(ep, route, status);
    if (route->origin != TC_RANK_NONE)
        tci_reply_error(ep, route, status, text);
    else if (tci_local_reply_keep(ep->core, ep->member.group, &reply, route->path, text,
                                  strlen(text)) != TC_OK)
        TC_LOG_RATIONED(&ep->log, TC_LOG_WARN,
                        "endpoint %u: %s, and there is no memory to report it", ep->connection,
                        text);
}

static void lost(tc_ep *ep, const uint8_t *payload, size_t size, bool routed, tc_status status,
                 const char *why)
{
    char text[TC_ERROR_TEXT_MAX];
    tci_route route = {.origin =
                           ep->member.group != NULL ? ep->member.group->rank : TC_RANK_NONE};
    size_t rest;
    if (routed && tci_route_decode(payload, size, &route, &rest, NULL) != TC_OK)
        return; /* cannot happen: the route was made here */
    if (ep->member.group == NULL && route.call == 0)
        return; /* its sender is notified of the endpoint's end */
    if (ep->member.group != NULL)
        (void)snprintf(text, sizeof text, "rank %u could not send it on to rank %u: %.300s",
                       ep->member.group->rank, ep->member.rank, why);
    else
        (void)snprintf(text, sizeof text, "%.300s", why);
    tci_reply_to_sender(ep, &route, status, text);
}

static void item_lost(tc_ep *ep, const tci_queued *item, tc_status status, const char *why)
{
    if (item->fn != NULL)
        lost(ep, item->payload, item->frame.payload_size, (item->frame.flags & TCI_ROUTED) != 0,
             status, why);
}

void tci_reply_item_unsent(tc_ep *ep, const tci_queued *item, tc_status status)
{
    const char *why = status == TC_E_REFUSED && ep->tx.refusal != NULL ? ep->tx.refusal->text
                                                                       : tc_status_text(status);
    item_lost(ep, item, status, why);
}

void tci_reply_unsent(tc_ep *ep)
{
    tc_error error = {0};
    const tci_large_request *large = ep->tx.large;
    (void)tc_ep_error(ep, &error);
    if (large != NULL && large->routed != 0 && large->owned != NULL) {
        /* Only the unsent part may be in memory; the route is at its end. */
        size_t kept = large->size - large->start;
        lost(ep, large->payload, kept, true, TC_E_PEER_LOST, error.text);
    }
    while (ep->tx.queue != NULL) {
        tci_queued *item = tci_send_queue_pop(ep);
        item_lost(ep, item, TC_E_PEER_LOST, error.text);
        tci_send_queue_free(ep, item);
    }
}
