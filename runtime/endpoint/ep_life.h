/* Making and freeing endpoints. */
#ifndef TCI_EP_LIFE_H
#define TCI_EP_LIFE_H

#include "core/ep.h"

/* In the core's list, with a connection id and nothing else. TC_E_NO_MEMORY, TC_E_TOO_LARGE
 * (65,000 connections). */
TC_MUST_CHECK tc_status tci_ep_create(tci_core *core, tci_ep_owner owner, tc_ep **ep_out,
                                      tc_error *err);
/* Lets everything go without another word to the peer. */
void tci_ep_free(tc_ep *ep);

/* Tells the layers above, once, that an endpoint has ended. They call back users, so from
 * tc_progress. */
void tci_ep_notify_end(tc_ep *ep);

#endif
