/* Staging: large payloads to a peer on this host lie in a segment of shared memory that the
 * sender makes and both have attached. The sender copies a payload there once, and the function
 * runs on it in place; the frame in the ring says where it lies and keeps the order.
 *
 * The sender offers its segment when the first large payload leaves, and uses it when the peer
 * has said that it could attach it; until then, and where it cannot, payloads go in fragments
 * through the ring. The memory is the sender's: its option staging_bytes bounds it, and it
 * vanishes with the last process that has it attached. */
#ifndef TCI_STAGING_H
#define TCI_STAGING_H

#include "core/ep.h"

/* --- the sender -------------------------------------------------------------------------- */

/* Offers a segment to a peer whose ring is mapped, once. */
void tci_staging_offer(tc_ep *ep);
/* The peer has attached what was offered. */
void tci_staging_open(tc_ep *ep);
bool tci_staging_is_open(const tc_ep *ep);

/* How much of a payload with `left` of `size` bytes to send may lie there together. */
size_t tci_staging_part(const tc_ep *ep, size_t size, size_t left);
/* Room for that at a multiple of 64 and of `alignment`, or NULL. To give it up, do nothing. */
uint8_t *tci_staging_reserve(tc_ep *ep, size_t size, unsigned alignment, uint64_t *place_out);
/* Copies a payload to a place that was reserved, in the way that is the faster one here. */
void tci_staging_copy(tc_ep *ep, uint8_t *to, const uint8_t *from, size_t size);
/* Takes what was reserved until the frame that was committed last is consumed. */
void tci_staging_commit(tc_ep *ep, size_t size);
/* The position in the peer's ring whose consumption makes room; UINT64_MAX: none. */
uint64_t tci_staging_awaited(const tc_ep *ep);

/* --- the receiver ------------------------------------------------------------------------ */

/* Attaches what the peer offers, and says so. An offer that is no good is passed over. */
void tci_staging_attach(tc_ep *ep, const uint8_t *payload, size_t size);
/* What lies there; NULL: not within the segment, or at no place for a payload. */
uint8_t *tci_staging_at(const tc_ep *ep, uint64_t place, uint64_t size);

/* --- both -------------------------------------------------------------------------------- */

void tci_staging_fini(tc_ep *ep);

#endif
