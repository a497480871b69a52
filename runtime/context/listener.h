/* Listeners: sockets at which peers arrive. */
#ifndef TCI_LISTENER_H
#define TCI_LISTENER_H

#include "context/context_object.h"

/* How long a listener rests that could take nobody, for want of descriptors. */
#define TCI_LISTENER_REST_NS 100000000ull

/* tc_listener_open of what is bound, and admits whoever has the credentials. Takes the streams,
 * also when it fails. */
TC_MUST_CHECK tc_status tci_listener_open_on(tc_context *ctx, tci_stream_listener *streams,
                                             const tci_credentials *credentials,
                                             tc_listener **listener_out, tc_error *err);

/* Wakes those that have rested. */
void tci_listener_wake(tc_context *ctx, uint64_t now_ns);

/* Accepts the peers that wait at a listener; a number that is closed is ignored. */
void tci_listener_serve(tc_context *ctx, uint64_t number);

#endif
