#include "rpc/reply_send.h"

#include "transfer/frame_out.h"
#include "transfer/send_queue.h"

#include <string.h>

/* Of the option send_queue_bytes: replies have nobody who could send them again. */
#define REPLIES_SHARE 4u
/* Parts of a reply: several in a ring, and one in the smallest ring there is. */
#define PART_BYTES_MAX 16384u
#define PART_BYTES_ANYWHERE 1024u

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
    if (!tci_ep_takes_messages(ep) || ep->tx.building || ep->tx.queue != NULL ||
        ep->tx.large != NULL)
        return NULL;
    tci_sender_commit_coalesced(&ep->tx);
    return tci_producer_reserve(&ep->tx.ring, TCI_FRAME_HEADER_BYTES + payload_size);
}

static void commit_reply(tc_ep *ep, uint8_t *frame, size_t payload_size)
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
        commit_reply(ep, frame, payload_size);
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

static size_t part_bytes(const tc_ep *ep, const tci_reply *reply)
{
    size_t room = tci_ep_is_open(ep) ? ep->tx.payload_max : PART_BYTES_ANYWHERE;
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

tc_status tci_reply_send(tc_ep *ep, tci_reply *reply, const uint32_t *path, const void *data,
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
        status = send_part(ep, reply, path, n > 0 ? bytes + reply->offset : NULL, n);
        reply->offset += n;
        reply->path_length = 0; /* the first part has it */
    } while (status == TC_OK && reply->offset < size);
    return status;
}
