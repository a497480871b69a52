/* Making and freeing endpoints. */
#ifndef TCI_EP_LIFE_H
#define TCI_EP_LIFE_H

#include "core/ep.h"

/* Creates an endpoint in the core's list, with a connection id, and without stream and link.
 * TC_E_NO_MEMORY, TC_E_TOO_LARGE (65,000 connections). */
TC_MUST_CHECK tc_status tci_ep_create(tci_core *core, tci_ep_owner owner, tc_ep **ep_out,
                                      tc_error *err);
/* Frees the endpoint and all that it holds, without another message to the peer. */
void tci_ep_free(tc_ep *ep);

/* Notifies the layers above, once, that an endpoint has ended. They call back users, so
 * tc_progress calls this, or tci_ep_free if tc_progress has not. */
void tci_ep_notify_end(tc_ep *ep);

#endif
