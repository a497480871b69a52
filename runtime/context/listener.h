/* Listeners: sockets at which peers arrive. */
#ifndef TCI_LISTENER_H
#define TCI_LISTENER_H

#include "context/context_object.h"

/* Accepts the peers that wait at a listener; a number that is closed is ignored. */
void tci_listener_serve(tc_context *ctx, uint64_t number);

#endif
