/* The busy desk: answers connecting peers while a function keeps the context's thread.
 *
 * The thread of the call watch does that, with its own listeners, credentials and connections
 * at the same sockets. So it shares only the socket itself with the context's thread, and the
 * answers take no lock that a message takes. Peers prove their identity first, as they do to
 * the context: an unauthenticated peer learns nothing about the running function. Each peer is
 * refused with TC_E_BUSY and a text, and is expected to try again. */
#ifndef TCI_BUSY_DESK_H
#define TCI_BUSY_DESK_H

#include "context/context_object.h"

/* Starts answering at a listener of a context that has a call watch. TC_E_NO_MEMORY, TC_E_IO,
 * statuses of tci_credentials_load. */
TC_MUST_CHECK tc_status tci_busy_desk_open(tc_context *ctx, const tc_listener *listener,
                                           tc_error *err);
/* Stops answering at a listener. Ignores an unknown listener. */
void tci_busy_desk_close(tc_context *ctx, const tc_listener *listener);

/* Frees the desk, after its call watch has ended and its listeners are closed. */
void tci_busy_desk_free(tc_context *ctx);

#endif
