/* Frames of one granule, with a payload of at most 16 bytes, in a mapped ring.
 *
 * The first frame of a turn leaves at once; short ones behind it gather and leave together, at
 * the latest with tc_progress. The cost of a message between two processors is the time for
 * which its stores wait (base/small_copy.h), and a single call stores more beside the frame
 * than in it; with calls that leave together, only the frames count.
 * docs/decisions/direct-rate.md has the figures. */
#ifndef TCI_SHORT_OUT_H
#define TCI_SHORT_OUT_H

#include "base/assertion.h"
#include "core/doorbell.h"
#include "core/ep_state.h"

static __attribute__((noinline, unused)) tc_status tci_short_out_ring_peer(tc_ep *ep)
{
    tci_doorbell_ring(ep);
    return TC_OK;
}

static __attribute__((noinline, unused)) tc_status tci_short_out_all(tc_ep *ep)
{
    tci_sender_commit_coalesced(&ep->tx);
    tci_doorbell_after_frames(ep);
    return TC_OK;
}

/* Last step of tc_send, so that tc_send may end in a jump. */
static inline tc_status tci_short_out_doorbell(tc_ep *ep)
{
    return __builtin_expect(tci_doorbell_has_changed(ep), 0) ? tci_short_out_ring_peer(ep)
                                                             : TC_OK;
}

/* Sends a frame with a payload of at most 8 bytes, or keeps it for a moment. The caller has
 * checked the space with tci_producer_has_granules, and that the endpoint has a frame limit.
 * Returns TC_OK. */
static inline tc_status tci_short_out(tc_ep *ep, uint64_t word, uint64_t first)
{
    TCI_INVARIANT(send_fast, tci_ep_takes_messages(ep) && ep->tx.queue == NULL &&
                                 ep->tx.large == NULL && !ep->tx.building &&
                                 ep->tx.hold == NULL);
    if (!ep->tx.used) {
        tci_ep_note_use(ep);
        tci_producer_commit_word(&ep->tx.ring, tci_producer_next(&ep->tx.ring), word, first);
        return tci_short_out_doorbell(ep);
    }
    TCI_INVARIANT_IS(send_coalesced, ep->tx.coalesced_count, <, TCI_COALESCED_MAX);
    tci_short_call *call = &ep->tx.coalesced[ep->tx.coalesced_count++];
    call->header_word = word;
    call->payload = first;
    if (ep->tx.coalesced_count < TCI_COALESCED_MAX)
        return TC_OK;
    if (__builtin_expect(ep->tx.ring.unsignalled_count > 0, 0))
        return tci_short_out_all(ep);
    tci_sender_commit_calls(&ep->tx);
    return tci_short_out_doorbell(ep);
}

/* The same for a payload of 9 to 16 bytes, which leaves at once unless it `gathers`. */
static inline tc_status tci_short_out_words(tc_ep *ep, uint64_t word, uint64_t first,
                                            uint64_t second, bool gathers)
{
    if (gathers && ep->tx.used) {
        ep->tx.coalesced[ep->tx.coalesced_count].second = second;
        return tci_short_out(ep, word, first);
    }
    if (tci_sender_gathers(&ep->tx))
        (void)tci_short_out_all(ep);
    if (gathers)
        tci_ep_note_use(ep);
    tci_producer_commit_words(&ep->tx.ring, tci_producer_next(&ep->tx.ring), word, first,
                              second);
    return tci_short_out_doorbell(ep);
}

#endif
