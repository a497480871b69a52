/* Messages that a peer has not taken, counted when an endpoint ends.
 *
 * The fast path of tc_send counts nothing. The frames between the peer's position and the tail
 * are still in the ring, so they are counted there, by their headers. */
#ifndef TCI_LOST_H
#define TCI_LOST_H

#include "core/ep.h"

/* Returns how many messages, and answers to calls of the peer, were accepted for sending and
 * have not been consumed by the peer, as far as this side knows: in the ring, coalesced,
 * queued, or a large payload under way. A message that its peer consumed and did not report
 * yet counts, too. A peer that writes to its mapped ring can make the number wrong, no
 * more. */
uint64_t tci_lost_count(tc_ep *ep);

/* Takes the frame at the position `at`, below the tail, of the ring that this endpoint fills,
 * and moves `at` behind it. Returns its payload, or NULL if the peer has spoilt it: a mapped
 * ring is the peer's memory, so each frame is checked as a received one is. */
const uint8_t *tci_lost_next(const tc_ep *ep, uint64_t *at, tci_frame *frame_out);

#endif
