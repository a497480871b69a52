/* Staging: large payloads to a peer on this host lie in a segment of shared memory that the
 * sender makes and both sides attach. The sender copies a payload there once, and the function
 * runs on that copy; the frame in the ring has its offset and keeps the order.
 *
 * The sender offers its segment when the first large payload leaves, and uses it when the peer
 * has reported that it could attach it; until then, and if the peer cannot, payloads go in
 * fragments through the ring. The memory is the sender's: its option staging_bytes bounds it,
 * and it vanishes with the last process that has it attached. */
#ifndef TCI_STAGING_H
#define TCI_STAGING_H

#include "transfer/outgoing.h"

/* --- the sender -------------------------------------------------------------------------- */

/* Called when the peer has attached the offered segment. */
void tci_staging_open(tc_ep *ep);
/* Offers the segment to a peer with a mapped ring, once. Returns whether it takes payloads. */
bool tci_staging_prepare(tc_ep *ep);

/* Returns how many bytes of a payload with `left` of `size` bytes to send may lie there
 * together. */
size_t tci_staging_part(const tc_ep *ep, size_t size, size_t left);
/* Copies staged.size bytes to the segment, at a multiple of 64 and of `alignment`, and sends
 * the frame that locates them, with `code` behind it. Their space is in use until that frame
 * is consumed. False: no space, in the segment or the ring. */
bool tci_staging_send(tc_ep *ep, tci_frame header, tci_staged staged, const void *from,
                      unsigned alignment, tci_span code);
/* Returns the position that the peer must consume to free space; UINT64_MAX: no such position.
 */
uint64_t tci_staging_awaited(const tc_ep *ep);

/* --- the receiver ------------------------------------------------------------------------ */

/* Attaches the segment that the peer offers and reports that. Ignores an unusable offer. */
void tci_staging_attach(tc_ep *ep, const uint8_t *payload, size_t size);
/* Returns the payload at offset `offset`; NULL: not within the segment, or not at a payload's
 * alignment. */
uint8_t *tci_staging_at(const tc_ep *ep, uint64_t offset, uint64_t size);

/* --- both -------------------------------------------------------------------------------- */

void tci_staging_fini(tc_ep *ep);

#endif
