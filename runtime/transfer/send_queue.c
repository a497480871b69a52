/* Messages that wait: for room at the peer, for the endpoint to open, or behind others that do.
 * tc_progress sends them, in their order. Control frames go in front, and may use the reserve
 * of the ring. */
#include "send.h"

#include "transfer/large_send.h"
#include "transfer/outgoing.h"
#include "rpc/answer.h"

#include <stdlib.h>

/* Of the option send_queue_bytes: answers have nobody who could send them again. */
#define REPLIES_SHARE 4u
/* Parts of an answer: several in a ring, and one in the smallest ring there is. */
#define PART_BYTES_MAX 16384u
#define PART_BYTES_ANYWHERE 1024u

static void append(tc_ep *ep, tci_queued *item, size_t bytes)
{
    *ep->queue_last = item;
    ep->queue_last = &item->next;
    ep->queue_bytes += bytes;
    tci_ep_set_fast(ep);
    ep->core->attention |= TCI_CHORES;
}

tc_status tci_outgoing_queue(tc_ep *ep, const tci_outgoing *out)
{
    size_t bytes = sizeof(tci_queued) + out->payload_size;
    if (ep->queue_bytes + bytes > ep->core->options.send_queue_bytes)
        return TC_E_AGAIN;
    tci_queued *item = calloc(1, bytes);
    if (item == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = tci_outgoing_fill(ep->core, out, item->payload);
    if (status != TC_OK) {
        free(item);
        return status;
    }
    item->fn = out->fn;
    tci_ifunc_hold(out->fn);
    item->frame.payload_size = (uint32_t)out->payload_size;
    item->frame.flags = out->routed ? TCI_ROUTED : 0;
    item->with_code = out->with_code;
    append(ep, item, bytes);
    ep->core->counters[TCI_SENDS_QUEUED]++;
    return TC_OK;
}

/* --- control frames ------------------------------------------------------------------ */

static bool try_control(tc_ep *ep, const tci_frame *header, const void *payload)
{
    uint64_t bytes = TCI_FRAME_HEADER_BYTES + header->payload_size;
    tci_ep_send_gathered(ep);
    uint8_t *frame = tci_producer_reserve_control(&ep->tx, bytes);
    if (frame == NULL)
        return false;
    if (header->payload_size > 0)
        memcpy(frame + TCI_FRAME_HEADER_BYTES, payload, header->payload_size);
    tci_send_commit(ep, frame, bytes, header);
    ep->control_frames++;
    return true;
}

void tci_send_control(tc_ep *ep, tci_control control, uint16_t slot, const void *payload,
                      size_t payload_size)
{
    const tci_frame header = {.payload_size = (uint32_t)payload_size,
                              .slot = slot,
                              .kind = TCI_FRAME_CONTROL,
                              .flags = (uint8_t)control};
    if (!tci_ep_is_open(ep) || try_control(ep, &header, payload))
        return;
    tci_queued *item = calloc(1, sizeof *item + payload_size);
    if (item == NULL) {
        (void)tci_ep_fail_with(ep, TC_E_NO_MEMORY, "control frame: out of memory");
        return;
    }
    item->frame = header;
    if (payload_size > 0)
        memcpy(item->payload, payload, payload_size);
    item->next = ep->queue;
    if (ep->queue == NULL)
        ep->queue_last = &item->next;
    ep->queue = item;
    tci_ep_set_fast(ep);
    ep->core->attention |= TCI_CHORES;
}

/* --- answers ------------------------------------------------------------------------- */

static void write_reply(uint8_t *payload, const tci_reply *reply, const uint32_t *path,
                        const uint8_t *part, size_t part_size)
{
    size_t path_bytes = sizeof *path * reply->path_length;
    tci_reply_encode(reply, payload);
    if (path_bytes > 0)
        memcpy(payload + TCI_REPLY_BYTES, path, path_bytes);
    if (part_size > 0)
        memcpy(payload + TCI_REPLY_BYTES + path_bytes, part, part_size);
}

static uint8_t *try_reply_frame(tc_ep *ep, size_t payload_size)
{
    if (!tci_ep_takes_messages(ep) || ep->building || tci_ep_has_waiting(ep) || ep->partial != NULL)
        return NULL;
    tci_ep_send_gathered(ep);
    return tci_producer_reserve(&ep->tx, TCI_FRAME_HEADER_BYTES + payload_size);
}

static void commit_reply(tc_ep *ep, uint8_t *frame, size_t payload_size)
{
    const tci_frame header = {.payload_size = (uint32_t)payload_size, .kind = TCI_FRAME_REPLY};
    tci_send_commit(ep, frame, TCI_FRAME_HEADER_BYTES + payload_size, &header);
    ep->control_frames++;
}

static tc_status send_part(tc_ep *ep, const tci_reply *reply, const uint32_t *path,
                           const uint8_t *part, size_t part_size)
{
    size_t payload_size = TCI_REPLY_BYTES + sizeof *path * reply->path_length + part_size;
    uint8_t *frame = try_reply_frame(ep, payload_size);
    if (frame != NULL) {
        write_reply(frame + TCI_FRAME_HEADER_BYTES, reply, path, part, part_size);
        commit_reply(ep, frame, payload_size);
        return TC_OK;
    }
    tci_queued *item = calloc(1, sizeof *item + payload_size);
    if (item == NULL)
        return TC_E_NO_MEMORY;
    item->frame = (tci_frame){.payload_size = (uint32_t)payload_size, .kind = TCI_FRAME_REPLY};
    write_reply(item->payload, reply, path, part, part_size);
    append(ep, item, sizeof *item + payload_size);
    return TC_OK;
}

static size_t part_bytes(const tc_ep *ep, const tci_reply *reply)
{
    size_t room = tci_ep_is_open(ep) ? ep->payload_max : PART_BYTES_ANYWHERE;
    size_t head = TCI_REPLY_BYTES + 4u * (size_t)reply->path_length;
    if (room > PART_BYTES_MAX)
        room = PART_BYTES_MAX;
    return head < room ? room - head : 0;
}

/* A path that would leave no room for the answer is cut short. */
static void shorten_path(const tc_ep *ep, tci_reply *reply)
{
    while (reply->path_length > 0 && part_bytes(ep, reply) < PART_BYTES_ANYWHERE / 2)
        reply->path_length /= 2;
}

tc_status tci_send_reply(tc_ep *ep, tci_reply *reply, const uint32_t *path, const void *data,
                         size_t size)
{
    uint64_t queue_max = ep->core->options.send_queue_bytes;
    const uint8_t *bytes = data;
    tc_status status = TC_OK;
    if (ep->state >= TCI_EP_CLOSED)
        return tc_ep_error(ep, NULL);
    if (size > queue_max && size > PART_BYTES_ANYWHERE)
        return TC_E_TOO_LARGE;
    if (size > PART_BYTES_ANYWHERE && ep->queue_bytes + size > REPLIES_SHARE * queue_max)
        return TC_E_AGAIN;
    shorten_path(ep, reply);
    reply->total = size;
    reply->offset = 0;
    do {
        size_t left = size - (size_t)reply->offset, n = part_bytes(ep, reply);
        n = left < n ? left : n;
        status = send_part(ep, reply, path, n > 0 ? bytes + reply->offset : NULL, n);
        reply->offset += n;
        reply->path_length = 0; /* the first part has it */
    } while (status == TC_OK && reply->offset < size);
    return status;
}

/* --- sending them -------------------------------------------------------------------- */

/* One that was queued before anybody knew how large a frame may be. */
static tc_status send_large_item(tc_ep *ep, const tci_queued *item)
{
    uint8_t *owned = malloc(item->frame.payload_size);
    if (owned == NULL)
        return TC_E_NO_MEMORY;
    memcpy(owned, item->payload, item->frame.payload_size);
    tc_status status = tci_large_send(ep, item->fn, NULL, 0, owned, item->frame.payload_size,
                                      item->frame.flags & TCI_ROUTED);
    if (status != TC_E_AGAIN || ep->partial == NULL)
        return status;
    ep->partial->queued = true;
    return TC_OK;
}

static tc_status send_item(tc_ep *ep, const tci_queued *item)
{
    if (item->frame.kind == TCI_FRAME_CONTROL)
        return try_control(ep, &item->frame, item->payload) ? TC_OK : TC_E_AGAIN;
    if (item->frame.kind == TCI_FRAME_REPLY) {
        tci_ep_send_gathered(ep);
        uint8_t *frame =
            tci_producer_reserve(&ep->tx, TCI_FRAME_HEADER_BYTES + item->frame.payload_size);
        if (frame == NULL)
            return TC_E_AGAIN;
        memcpy(frame + TCI_FRAME_HEADER_BYTES, item->payload, item->frame.payload_size);
        commit_reply(ep, frame, item->frame.payload_size);
        return TC_OK;
    }
    const tci_outgoing out = {.fn = item->fn,
                              .args = item->payload,
                              .args_size = item->frame.payload_size,
                              .payload_size = item->frame.payload_size,
                              .routed = (item->frame.flags & TCI_ROUTED) != 0,
                              .built = true,
                              .with_code = item->with_code};
    if (ep->tx_state[item->fn->index] == TCI_TX_REFUSED)
        return TC_E_REFUSED; /* tc_ep_refusal says so too */
    if (item->frame.payload_size > ep->payload_max)
        return send_large_item(ep, item);
    return tci_outgoing_send_frame(ep, &out);
}

void tci_send_queued(tc_ep *ep)
{
    if (ep->unconfirmed)
        return;
    while (tci_large_turn(ep) && ep->queue != NULL && tci_ep_is_open(ep)) {
        tci_queued *item = ep->queue;
        tc_status status = send_item(ep, item);
        if (status == TC_E_AGAIN)
            return;
        ep->queue = item->next;
        if (ep->queue == NULL)
            ep->queue_last = &ep->queue;
        if (status != TC_OK)
            tci_route_lost(ep, item, status);
        tci_queued_free(ep, item);
    }
    tci_ep_set_fast(ep);
}

void tci_queued_free(tc_ep *ep, tci_queued *item)
{
    if (item->frame.kind != TCI_FRAME_CONTROL)
        ep->queue_bytes -= sizeof *item + item->frame.payload_size;
    if (item->fn != NULL)
        tci_ifunc_release(item->fn);
    free(item);
}
