/* The way of an endpoint's stream to its peer, until both have proved who they are: the HELLO
 * leaves then, and not before. */
#ifndef TCI_CONNECTING_H
#define TCI_CONNECTING_H

#include "core/ep.h"

/* Goes on, as far as it can; ends the endpoint when it cannot. */
void tci_connecting_turn(tc_ep *ep);

/* Keeps who the stream has proved the peer to be. */
void tci_connecting_keep_identity(tc_ep *ep);

#endif
