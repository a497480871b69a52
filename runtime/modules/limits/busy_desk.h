/* The busy desk: answers connecting peers while a function keeps the context's thread.
 *
 * The thread of the call watch does that, with its own listeners, credentials and connections
 * at the same sockets. So it shares only the socket itself with the context's thread, and the
 * answers take no lock that a message takes. Peers prove their identity first, as they do to
 * the context: an unauthenticated peer learns nothing about the running function. Each peer is
 * refused with TC_E_BUSY and a text, and is expected to try again. */
#ifndef TCI_BUSY_DESK_H
#define TCI_BUSY_DESK_H

#include "bootstrap/stream.h"
#include "modules/limits/call_watch.h"

typedef struct tci_busy_desk tci_busy_desk;

/* Starts answering at a listener. *desk_at is NULL at first: the desk is made, and watched by
 * `watch`. TC_E_NO_MEMORY, TC_E_IO, statuses of tci_credentials_load. */
TC_MUST_CHECK tc_status tci_busy_desk_open(tci_busy_desk **desk_at, tci_call_watch *watch,
                                           const struct tc_options *options,
                                           const tci_stream_listener *streams, tc_error *err);
/* Stops answering at a listener. Ignores an unknown listener. */
void tci_busy_desk_close(tci_busy_desk *desk, const tci_stream_listener *streams);

/* Frees the desk, after its call watch has ended and its listeners are closed. NULL is
 * allowed. */
void tci_busy_desk_free(tci_busy_desk *desk);

#endif
