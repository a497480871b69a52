/* Sending messages that bring their code along. */
#ifndef TCI_INJECT_SEND_H
#define TCI_INJECT_SEND_H

#include "transfer/outgoing.h"

/* One with `injected`, now. TC_E_AGAIN: no room. TC_E_TOO_LARGE: more than a frame.
 * TC_E_PAYLOAD.
 */
TC_MUST_CHECK tc_status tci_inject_send(tc_ep *ep, const tci_outgoing *out);

#endif
