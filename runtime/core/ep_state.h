/* How an endpoint opens, fails and ends, and the consequences of its state. */
#ifndef TCI_EP_STATE_H
#define TCI_EP_STATE_H

#include "base/assertion.h"
#include "base/small_copy.h"
#include "core/ep.h"

/* Payloads from this size on may lie in the staging segment instead of the ring. */
#define TCI_STAGING_PAYLOAD_MIN 32768u

/* Returns whether an endpoint may go from one state to the other: to the next one, or to its
 * end. */
static inline bool tci_ep_state_may_follow(tci_ep_state from, tci_ep_state to)
{
    return from < TCI_EP_CLOSED && (to >= TCI_EP_CLOSED || to == from + 1);
}

/* Opens the endpoint: messages may leave from now on. Messages of the peer wait in the ring
 * until tci_ep_announced. */
void tci_ep_open(tc_ep *ep);
/* Called once the program knows the endpoint, by a callback or from the call that made it. From
 * now on its ring is polled. Ends the endpoint when there is no memory for that. */
void tci_ep_announced(tc_ep *ep);
/* Returns whether it has opened and tci_ep_announced is still to come. Also true of an endpoint
 * that ended meanwhile. */
static inline bool tci_ep_is_held(const tc_ep *ep)
{
    return ep->rx.held;
}

/* Ends an endpoint with an error: nothing more is sent or run. The first error stays. */
void tci_ep_fail(tc_ep *ep, const tc_error *error);
/* Does the same with a formatted text. Returns status. */
tc_status tci_ep_fail_with(tc_ep *ep, tc_status status, const char *fmt, ...) TC_PRINTF(3, 4);
/* Ends it in order. */
void tci_ep_finish(tc_ep *ep);
/* Ends it after its peer has parted and all messages that can run were run: in order, with the
 * error that the peer gave, or with one that says that code is missing. */
void tci_ep_part(tc_ep *ep);
/* Removes it from the core's counts and lists. Also called before it is freed. */
void tci_ep_leave_state(tc_ep *ep);

/* Returns TC_OK, or ends an open endpoint and returns TC_E_PEER_LOST: its peer reported an
 * impossible consumed position, and no later credit repairs that. */
tc_status tci_ep_check_credit(tc_ep *ep);

/* Sets the payload sizes that may take the fast paths. They are 0 unless messages may leave,
 * the queue is empty, no payload is being made or sent in fragments, and no space is held. The
 * limit of tc_send's own fast path is also 0 where the ring is not mapped or threads are
 * checked first. Called whenever one of these changes. */
void tci_ep_set_fast(tc_ep *ep);

/* Returns the value of tc_send's fast_limit where threads are not checked. */
static inline size_t tci_ep_short_limit(const tc_ep *ep)
{
    return ep->tx.frame_limit > 0 && ep->tx.push == NULL ? TCI_SMALL_COPY_MAX + 1 : 0;
}

/* Copies frames that a message brought into the ring. Ends the endpoint if they are not allowed
 * there. */
void tci_ep_take_frames(tc_ep *ep, uint16_t granule, const uint8_t *bytes, size_t size);
/* Returns whether such frames are allowed there. If they are not, ends the endpoint. */
bool tci_ep_expects_frames(tc_ep *ep, uint16_t granule, size_t size);
/* Called when frames are in the ring: polls it from now on. */
void tci_ep_frames_came(tc_ep *ep);
/* Stops polling the ring of an open endpoint until tci_ep_frames_came. */
void tci_ep_unwatch(tc_ep *ep);

/* Stops polling the ring, whatever arrives, until tci_ep_resume. */
void tci_ep_pause(tc_ep *ep);
void tci_ep_resume(tc_ep *ep);

/* Returns whether a frame has come behind those that were searched for requests. */
static inline bool tci_ep_has_unseen(const tc_ep *ep)
{
    const tci_receiver *rx = &ep->rx;
    return rx->looked_ahead > rx->ring.head && rx->looked_ahead != TCI_LOOKED_AT_ALL &&
           tci_ring_load_signal(rx->ring.ring + (rx->looked_ahead & rx->ring.mask)) ==
               rx->looked_signal;
}

/* Returns whether a frame has come that was not read. */
static inline bool tci_ep_has_frame(const tc_ep *ep)
{
    return tci_consumer_has_frame(&ep->rx.ring);
}

/* Returns a position behind all frames that have come so far. */
static inline uint64_t tci_ep_frames_end(const tc_ep *ep)
{
    return ep->rx.ring.head + ep->rx.ring.mask + 1;
}

/* Returns whether a frame before that position was not read. */
static inline bool tci_ep_has_frame_before(const tc_ep *ep, uint64_t end)
{
    return tci_ep_has_frame(ep) && ep->rx.ring.head < end;
}

/* Called after the ring's head has moved: updates the polled position. */
static inline void tci_ep_watch_head(tc_ep *ep)
{
    if (ep->rx.watched_at == TCI_UNWATCHED)
        return;
    if (ep->rx.arrival.frames_by_message && !tci_consumer_has_frame(&ep->rx.ring)) {
        tci_ep_unwatch(ep);
        return;
    }
    tci_watched_ring *watched = &ep->core->watched[ep->rx.watched_at];
    TCI_INVARIANT(watched_index, watched->ep == ep);
    watched->frame = ep->rx.ring.ring + (ep->rx.ring.head & ep->rx.ring.mask);
    watched->signal = ep->rx.ring.signal;
}

#endif
