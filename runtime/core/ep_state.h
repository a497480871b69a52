/* How an endpoint opens, fails and ends, and what follows from its state. */
#ifndef TCI_EP_STATE_H
#define TCI_EP_STATE_H

#include "base/small_copy.h"
#include "core/ep.h"

/* Payloads from this size on may lie in the staging segment instead of the ring. */
#define TCI_STAGING_PAYLOAD_MIN 32768u

/* Opens it: messages may leave from now on. The peer's wait in the ring until tci_ep_announced. */
void tci_ep_open(tc_ep *ep);
/* The program has been called for it, or got it from the call that made it: from now on its ring
 * is looked at. Ends it when there is no memory for that. */
void tci_ep_announced(tc_ep *ep);
/* It has opened, and that is still to come. Also of one that ended meanwhile. */
static inline bool tci_ep_is_held(const tc_ep *ep)
{
    return ep->rx.held;
}

/* Ends an endpoint with an error: nothing more is sent or run. The first error stays. */
void tci_ep_fail(tc_ep *ep, const tc_error *error);
/* The same, with a formatted text. Returns status. */
tc_status tci_ep_fail_with(tc_ep *ep, tc_status status, const char *fmt, ...) TC_PRINTF(3, 4);
/* Ends it in order. */
void tci_ep_finish(tc_ep *ep);
/* Takes it out of the core's counts and lists; before it is freed, too. */
void tci_ep_leave_state(tc_ep *ep);

/* TC_OK, or ends an open endpoint whose peer said that it consumed more than was sent, which no
 * later credit repairs: TC_E_PEER_LOST. */
tc_status tci_ep_check_credit(tc_ep *ep);

/* Decides which payloads may take the fast paths: none unless the endpoint is open,
 * nothing waits in the queue and no payload is being made; and tc_send's only into mapped
 * rings, and where threads are not checked first. Called whenever one of these changes. */
void tci_ep_set_fast(tc_ep *ep);

/* What tc_send's fast_limit is where threads are not checked. */
static inline size_t tci_ep_short_limit(const tc_ep *ep)
{
    return ep->tx.frame_limit > 0 && ep->tx.push == NULL ? TCI_SMALL_COPY_MAX + 1 : 0;
}

/* Frames that a message brought go into the ring, or end the endpoint where they may not. */
void tci_ep_take_frames(tc_ep *ep, uint16_t granule, const uint8_t *bytes, size_t size);
/* False: they may not, and it has ended. */
bool tci_ep_expects_frames(tc_ep *ep, uint16_t granule, size_t size);
/* They are in the ring. */
void tci_ep_frames_came(tc_ep *ep);
/* The ring of an open endpoint need not be looked at before that. */
void tci_ep_unwatch(tc_ep *ep);

/* The ring is not looked at, whatever comes, until it is resumed. */
void tci_ep_pause(tc_ep *ep);
void tci_ep_resume(tc_ep *ep);

/* The ring's head has moved. */
static inline void tci_ep_watch_head(tc_ep *ep)
{
    if (ep->rx.watched_at == TCI_UNWATCHED)
        return;
    if (ep->rx.arrival.frames_by_message && !tci_consumer_has_frame(&ep->rx.ring)) {
        tci_ep_unwatch(ep);
        return;
    }
    tci_watched_ring *watched = &ep->core->watched[ep->rx.watched_at];
    watched->frame = ep->rx.ring.ring + (ep->rx.ring.head & ep->rx.ring.mask);
    watched->signal = ep->rx.ring.signal;
}

#endif
