/* Connects an endpoint's stream to its peer, until both sides have proved their identity. The
 * HELLO leaves only after that. */
#ifndef TCI_CONNECTING_H
#define TCI_CONNECTING_H

#include "core/ep.h"

/* Continues connecting without blocking. On failure ends the endpoint, or asks for a retry if
 * it leads to a group member that is not reachable yet. */
void tci_connecting_turn(tc_ep *ep);

/* Stores the identity that the peer has proved on the stream. */
void tci_connecting_keep_identity(tc_ep *ep);

#endif
