/* Listeners: sockets at which peers arrive. */
#ifndef TCI_LISTENER_H
#define TCI_LISTENER_H

#include "context/context_object.h"

/* How long a listener rests that could take nobody, for want of descriptors. */
#define TCI_LISTENER_REST_NS 100000000ull

/* Wakes those that have rested. */
void tci_listener_wake(tc_context *ctx, uint64_t now_ns);

/* Accepts the peers that wait at a listener; a number that is closed is ignored. */
void tci_listener_serve(tc_context *ctx, uint64_t number);

#endif
