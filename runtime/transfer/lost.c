/* Counts the messages of an endpoint that its peer has not consumed. */
#include "transfer/lost.h"

#include "ring/ring_layout.h"
#include "transfer/large_send.h"
#include "transfer/send_queue.h"

/* Returns whether the frame has the last part of a payload that was accepted for sending. The
 * frame of a payload beside the ring is there before the call that sends it is over. */
static bool ends_payload(const tc_ep *ep, const tci_frame *frame, const uint8_t *payload)
{
    const tci_large_request *large = ep->tx.large;
    tci_fragment fragment;
    tci_staged staged;
    if (frame->flags & TCI_FRAGMENT_STAGED) {
        tci_staged_decode(payload, &staged);
        return staged.fragment.offset + staged.size == staged.fragment.total;
    }
    tci_fragment_decode(payload, &fragment);
    if (frame->flags & TCI_FRAGMENT_OUT_OF_LINE)
        return large == NULL || !large->framed || large->number != fragment.offset;
    return fragment.offset + frame->payload_size - TCI_FRAGMENT_HEADER_BYTES == fragment.total;
}

static bool ends_message(const tc_ep *ep, const tci_frame *frame, const uint8_t *payload)
{
    switch ((tci_frame_kind)frame->kind) {
    case TCI_FRAME_CALL:
    case TCI_FRAME_INJECT:
        return true;
    case TCI_FRAME_CODE:
        return (frame->flags & TCI_CODE_BIND_ONLY) == 0;
    case TCI_FRAME_FRAGMENT:
        return ends_payload(ep, frame, payload);
    case TCI_FRAME_REPLY:
        return (frame->flags & TCI_BRIEF) != 0 || tci_reply_ends(payload, frame->payload_size);
    case TCI_FRAME_WRAP:
    case TCI_FRAME_CONTROL:
        break;
    }
    return false;
}

const uint8_t *tci_lost_next(const tc_ep *ep, uint64_t *at, tci_frame *frame_out)
{
    const tci_producer *ring = &ep->tx.ring;
    const uint64_t offset = *at & ring->mask;
    const uint8_t *header = ring->ring + offset;
    const tci_frame frame = tci_frame_of_word(tci_ring_load_word(header + 8));
    size_t bytes = (size_t)(ring->mask + 1 - offset);
    tci_code_section section;
    if (frame.kind != TCI_FRAME_WRAP &&
        tci_frame_check(&frame, header, bytes, &bytes, &section, NULL) != TC_OK)
        return NULL;
    *at += tci_frame_align(bytes);
    *frame_out = frame;
    return header + TCI_FRAME_HEADER_BYTES;
}

static uint64_t count_ring(const tc_ep *ep)
{
    uint64_t count = 0;
    tci_frame frame;
    for (uint64_t at = ep->tx.ring.consumed_seen; at < ep->tx.ring.tail;) {
        const uint8_t *payload = tci_lost_next(ep, &at, &frame);
        if (payload == NULL)
            return count + 1;
        count += ends_message(ep, &frame, payload);
    }
    return count;
}

static uint64_t count_queue(const tc_ep *ep)
{
    uint64_t count = 0;
    for (const tci_queued *item = ep->tx.queue; item != NULL; item = item->next)
        count += item->fn != NULL || ends_message(ep, &item->frame, item->payload);
    return count;
}

uint64_t tci_lost_count(tc_ep *ep)
{
    if (ep->tx.delivery != NULL)
        tci_producer_refresh(&ep->tx.ring);
    const bool large = ep->tx.large != NULL && ep->tx.large->queued;
    return count_ring(ep) + ep->tx.coalesced_count + ep->tx.coalesced_lost + count_queue(ep) +
           large;
}
