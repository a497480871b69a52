/* Announces a payload by a frame in the ring, then sends it in parts from its memory, at most
 * 16 of them under way at once. */
#include "transfer/payload_out.h"

#include "base/assertion.h"
#include "core/ep_state.h"
#include "transfer/frame_out.h"
#include "transfer/large_send.h"
#include "transfer/send_window.h"

#include <stdlib.h>

#define PAYLOAD_PARTS 16u

/* A part of the caller's memory that the link sends. */
typedef struct outbound_part {
    tci_link_op op;
    tci_payload_header header;
    bool under_way;
} outbound_part;

typedef struct tci_outbound {
    uint16_t next_number;
    unsigned next_part; /* they are used in turn */
    unsigned under_way;
    bool orphan; /* its endpoint is gone: the last operation frees it */
    tci_send_window window;
    outbound_part parts[PAYLOAD_PARTS];
} tci_outbound;

static bool may_begin(tc_ep *ep, size_t size)
{
    tci_send_window *window = &ep->tx.outbound->window;
    tci_send_window_release(window, ep->tx.ring.consumed_seen);
    return window->count == 0 || (!tci_send_window_is_full(window) &&
                                  window->bytes + size <= TCI_OUT_OF_LINE_BYTES_MAX);
}

static tc_status announce(tc_ep *ep, tci_large_request *large)
{
    tci_outbound *out = ep->tx.outbound;
    const tci_fragment named = {.total = large->size, .offset = out->next_number};
    const tci_frame header = {.slot = large->fn->index,
                              .kind = TCI_FRAME_FRAGMENT,
                              .flags = TCI_FRAGMENT_OUT_OF_LINE | large->routed};
    uint8_t bytes[TCI_FRAGMENT_HEADER_BYTES];
    const tci_span none = {0};
    tci_fragment_encode(&named, bytes);
    if (!tci_frame_out_put(ep, header, (tci_span){bytes, sizeof bytes}, none, none))
        return TC_E_AGAIN;
    tci_send_window_add(&out->window, ep->tx.ring.tail, large->size);
    large->framed = true;
    large->number = out->next_number++;
    return TC_OK;
}

tc_status tci_payload_out_own(tci_large_request *large)
{
    const size_t left = large->size - large->offset;
    if (large->owned != NULL)
        return TC_OK;
    large->owned = malloc(left);
    if (large->owned == NULL)
        return TC_E_NO_MEMORY;
    large->payload = memcpy(large->owned, large->payload + large->offset, left);
    large->start = large->offset;
    return TC_OK;
}

static tc_status begin(tc_ep *ep, tci_large_request *large)
{
    if (ep->tx.outbound == NULL &&
        (ep->tx.outbound = calloc(1, sizeof *ep->tx.outbound)) == NULL)
        return TC_E_NO_MEMORY;
    if (!may_begin(ep, large->size)) {
        tci_producer_refresh(&ep->tx.ring);
        if (!may_begin(ep, large->size))
            return TC_E_AGAIN;
    }
    if (tci_pending_has(&ep->core->pending, TCI_RUNNING))
        TC_TRY(tci_payload_out_own(large));
    return announce(ep, large);
}

static void part_has_left(tci_link_op *op)
{
    tci_outbound *out = op->user;
    outbound_part *part = (outbound_part *)(void *)op;
    TCI_INVARIANT_IS(outbound_parts, out->under_way, >, 0);
    TCI_INVARIANT(outbound_parts, part->under_way);
    part->under_way = false;
    out->under_way--;
    if (out->orphan && out->under_way == 0)
        free(out);
}

static tc_status send_part(tc_ep *ep, tci_large_request *large, outbound_part *part)
{
    const tci_fragment fragment = {.total = large->size, .offset = large->offset};
    const size_t part_bytes = tci_link_part_bytes(ep->link);
    size_t n = large->size - large->offset;
    n = n < part_bytes ? n : part_bytes;
    TCI_INVARIANT(outbound_parts, !part->under_way);
    tci_fragment_encode(&fragment, part->header.fragment);
    part->op = (tci_link_op){.done = part_has_left, .user = ep->tx.outbound};
    if (tci_link_send_payload(ep->link, large->number, &part->header, &part->op,
                              large->payload + large->offset, n, &part->under_way) != TC_OK)
        return tci_ep_fail_with(ep, TC_E_PEER_LOST, "peer lost: a payload could not be sent");
    ep->tx.outbound->under_way += part->under_way;
    ep->tx.pushed_bytes += sizeof part->header + n;
    large->offset += n;
    TCI_INVARIANT_IS(large_progress, large->offset, <=, large->size);
    TCI_INVARIANT_IS(outbound_parts, ep->tx.outbound->under_way, <=, PAYLOAD_PARTS);
    return TC_OK;
}

tc_status tci_payload_out_send(tc_ep *ep, tci_large_request *large)
{
    if (!large->framed)
        TC_TRY(begin(ep, large));
    while (large->offset < large->size) {
        outbound_part *part =
            &ep->tx.outbound->parts[ep->tx.outbound->next_part % PAYLOAD_PARTS];
        if (part->under_way)
            return TC_E_AGAIN;
        ep->tx.outbound->next_part++;
        TC_TRY(send_part(ep, large, part));
    }
    return tci_payload_out_is_leaving(ep) ? TC_E_AGAIN : TC_OK;
}

bool tci_payload_out_is_leaving(const tc_ep *ep)
{
    return ep->tx.outbound != NULL && ep->tx.outbound->under_way > 0;
}

bool tci_payload_out_may_go_on(const tc_ep *ep)
{
    const tci_outbound *out = ep->tx.outbound;
    if (ep->tx.large->offset == ep->tx.large->size)
        return out->under_way == 0;
    return !out->parts[out->next_part % PAYLOAD_PARTS].under_way;
}

uint64_t tci_payload_out_awaited(const tc_ep *ep)
{
    return ep->tx.outbound != NULL ? tci_send_window_awaited(&ep->tx.outbound->window)
                                   : UINT64_MAX;
}

void tci_payload_out_fini(tc_ep *ep)
{
    if (ep->tx.outbound != NULL && ep->tx.outbound->under_way > 0)
        ep->tx.outbound->orphan = true; /* UCX kept operations when the link was closed */
    else
        free(ep->tx.outbound);
}
