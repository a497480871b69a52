/* Finds the calls that a peer has not consumed. The path of a call keeps nothing for this: the
 * frames between the peer's position and the tail are still in the ring, as lost.c counts them,
 * and each has the number of its call at its end.
 *
 * The position is the last one only if the peer said goodbye: it reports it before that, and
 * runs nothing afterwards. A peer that died may have run messages behind the position that it
 * reported, so the ring of such an endpoint proves nothing. Nor does it where UCX carries the
 * position and a connection the goodbye, which may then come first. Coalesced calls never left
 * this process. */
#include "modules/calls/unrun.h"

#include "transfer/lost.h"

/* Returns 0: the frame is no call. */
static tc_call_id call_of(const tci_frame *frame, const uint8_t *payload)
{
    tci_route route;
    size_t rest;
    if ((frame->kind != TCI_FRAME_CALL && frame->kind != TCI_FRAME_CODE) ||
        !tci_frame_has_route(frame))
        return 0;
    if ((frame->flags & TCI_ROUTED) == 0)
        return frame->payload_size < TCI_BRIEF_BYTES
                   ? 0
                   : tci_route_brief(payload, frame->payload_size);
    return tci_route_decode(payload, frame->payload_size, &route, &rest, NULL) == TC_OK
               ? route.call
               : 0;
}

/* A frame that the peer has spoilt ends the walk. */
static void visit_ring(const tc_ep *ep, tci_unrun_visitor visit, void *user)
{
    const uint64_t end = ep->tx.ring.tail;
    const uint8_t *payload;
    tci_frame frame;
    for (uint64_t at = ep->tx.ring.consumed_seen;
         at < end && (payload = tci_lost_next(ep, &at, &frame)) != NULL;) {
        const tc_call_id call = call_of(&frame, payload);
        if (call != 0)
            visit(user, call);
    }
}

static void visit_coalesced(const tc_ep *ep, tci_unrun_visitor visit, void *user)
{
    for (unsigned i = 0; i < ep->tx.coalesced_lost; i++) {
        const tci_short_call *coalesced = &ep->tx.coalesced[i];
        const uint64_t words[] = {coalesced->payload, coalesced->second};
        const tci_frame frame = tci_frame_of_word(coalesced->header_word);
        if (frame.payload_size > sizeof words)
            continue;
        const tc_call_id call = call_of(&frame, (const uint8_t *)words);
        if (call != 0)
            visit(user, call);
    }
}

/* Returns whether the position in the ring is the peer's last one. */
static bool has_last_position(const tc_ep *ep)
{
    const bool in_order = ep->stream == NULL || ep->rx.records != NULL;
    return ep->tx.delivery != NULL && ep->peer.said_bye && (ep->tx.push == NULL || in_order);
}

void tci_unrun_visit(const tc_ep *ep, tci_unrun_visitor visit, void *user)
{
    if (has_last_position(ep))
        visit_ring(ep, visit, user);
    visit_coalesced(ep, visit, user);
}
