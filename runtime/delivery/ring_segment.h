/* The segment that shows a peer's ring, as its hello names it. */
#ifndef TCI_RING_SEGMENT_H
#define TCI_RING_SEGMENT_H

#include "delivery/delivery.h"

/* Attaches it if it holds the ring's identity in the first of at least `bytes` bytes. Nobody
 * but the peer knows the nonce, so what matches is the peer's and not something else of this
 * user's that the peer would like to see written. TC_E_PEER_LOST: it was on this host and is
 * gone, because the peer has given the connection up, or has ended. TC_E_UNSUPPORTED: nothing
 * can be attached here. */
TC_MUST_CHECK tc_status tci_ring_segment_attach(const tci_delivery_peer *peer, size_t bytes,
                                                tci_segment *segment_out, tc_error *err);

#endif
