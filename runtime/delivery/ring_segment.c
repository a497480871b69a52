#include "ring_segment.h"

#include "base/error_text.h"
#include "ring/consumer.h"

static tc_status gone(const tci_delivery_peer *peer, tc_error *err)
{
    if (peer->same_host)
        return tci_error_set(err, TC_E_PEER_LOST, "peer lost: its ring is gone");
    return tci_error_set(err, TC_E_UNSUPPORTED, "the peer's ring is not on this host");
}

tc_status tci_ring_segment_attach(const tci_delivery_peer *peer, size_t bytes,
                                  tci_segment *segment_out, tc_error *err)
{
    if (peer->segment == TCI_SEGMENT_NONE)
        return tci_error_set(err, TC_E_UNSUPPORTED, "the peer's ring cannot be mapped");
    tc_status status = tci_segment_attach(peer->segment, bytes, segment_out, err);
    if (status == TC_E_NOT_FOUND)
        return gone(peer, err);
    if (status != TC_OK)
        return status;
    if (tci_consumer_identity_matches(segment_out->base, peer->ring_bytes, peer->ring_nonce))
        return TC_OK;
    tci_segment_detach(segment_out);
    return gone(peer, err);
}
