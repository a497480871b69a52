/* Calls of the program for endpoints that opened or ended (tc_context_set_ep_callback). */
#ifndef TCI_EP_CALLBACK_H
#define TCI_EP_CALLBACK_H

#include "context/context_object.h"
#include "core/ep_state.h"

/* Calls the program for an open endpoint, before any message of its peer is run. tc_ep_connect
 * announces its own endpoint. */
void tci_ep_callback_opened(tc_ep *ep);

/* Returns whether the endpoint is never announced: it opened after the callback was taken away,
 * as its context ends. Its peer's messages do not run, and its peer counts them as lost. */
static inline bool tci_ep_callback_is_withheld(const tc_ep *ep)
{
    return tci_ep_is_held(ep) && ep->core->context->events_ended;
}

/* Calls the program for the end of an endpoint that it may know, unless done already. */
void tci_ep_callback_end(tc_context *ctx, tc_ep *ep, tc_ep_event event);

#endif
