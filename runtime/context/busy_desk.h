/* Answers who connects while a function keeps the context's thread.
 *
 * The thread of the call watch does that, with listeners, credentials and connections of its own at
 * the same sockets, so it shares nothing with the context's thread but the socket itself, and the
 * answers take no lock that a message takes. Peers prove who they are first, as they do to the
 * context: a stranger learns nothing of what runs. Each is refused with TC_E_BUSY and a text, and
 * is expected to try again. */
#ifndef TCI_BUSY_DESK_H
#define TCI_BUSY_DESK_H

#include "context/context_object.h"

/* Answers at a listener of a context that has a call watch, from now on. TC_E_NO_MEMORY, TC_E_IO,
 * and as tci_credentials_load. */
TC_MUST_CHECK tc_status tci_busy_desk_open(tc_context *ctx, const tc_listener *listener,
                                           tc_error *err);
/* Not any more. A listener that was never there is ignored. */
void tci_busy_desk_close(tc_context *ctx, const tc_listener *listener);

/* Its call watch has ended, and its listeners are closed. */
void tci_busy_desk_free(tc_context *ctx);

#endif
