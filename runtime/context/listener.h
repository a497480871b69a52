/* Listeners: sockets that accept peers. */
#ifndef TCI_LISTENER_H
#define TCI_LISTENER_H

#include "context/context_object.h"

/* How long a listener rests after it could not accept a peer, as without free descriptors. */
#define TCI_LISTENER_REST_NS 100000000ull

/* tc_listener_open for a bound socket that admits peers with the credentials. Takes over the
 * streams, also on failure. */
TC_MUST_CHECK tc_status tci_listener_open_on(tc_context *ctx, tci_stream_listener *streams,
                                             const tci_credentials *credentials,
                                             tc_listener **listener_out, tc_error *err);

#endif
