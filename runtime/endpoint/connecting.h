/* Connects an endpoint's stream to its peer, until both sides have proved their identity. The
 * HELLO leaves only after that. */
#ifndef TCI_CONNECTING_H
#define TCI_CONNECTING_H

#include "core/ep.h"

/* So often at most an unanswered attempt to connect is given up for another one; the last one
 * has all the time. */
#define TCI_CONNECTING_REDIALS 8u

/* Continues connecting without blocking. On failure ends the endpoint, or asks for a retry if
 * it leads to a group member that is not reachable yet. */
void tci_connecting_turn(tc_ep *ep);

/* Called in each turn of a stream that connects, or has no HELLO of its peer yet. Returns
 * whether another attempt is better: the peer's host has not answered for long, or, at the
 * first attempt, the peer itself. A peer that has begun to run a function after it accepted
 * this stream answers the next one alone (modules/limits/busy_desk.h). `redials`: how many
 * were made. */
bool tci_connecting_stalls(tc_ep *ep, unsigned redials);

/* Stores the identity that the peer has proved on the stream. */
void tci_connecting_keep_identity(tc_ep *ep);

#endif
