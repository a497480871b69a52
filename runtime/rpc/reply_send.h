/* A reply on its way into an endpoint's ring, in as many frames as it takes. */
#ifndef TCI_REPLY_SEND_H
#define TCI_REPLY_SEND_H

#include "core/ep.h"

/* Sends a reply, or queues those of its parts that find no room; `data` is copied. Of *reply,
 * total and offset are set here. TC_E_TOO_LARGE: above the option send_queue_bytes. TC_E_AGAIN:
 * that many replies wait already. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_reply_send(tc_ep *ep, tci_reply *reply, const uint32_t *path,
                                       const void *data, size_t size);

#endif
