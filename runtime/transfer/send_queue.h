/* The queue of an endpoint: messages that wait for room at the peer, for the endpoint to open,
 * or behind others that do. queue_drain.h sends them, in their order. */
#ifndef TCI_SEND_QUEUE_H
#define TCI_SEND_QUEUE_H

#include "core/ep.h"
#include "transfer/outgoing.h"

typedef struct tci_queued {
    struct tci_queued *next;
    tc_ifunc *fn; /* held; NULL: a frame that is whole as it is: control, or a reply */
    tci_frame frame;
    bool with_code;
    uint8_t payload[];
} tci_queued;

/* Queues a message; its payload is made or copied now. TC_E_AGAIN: the queue has
 * send_queue_bytes already. TC_E_NO_MEMORY, TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_send_queue_message(tc_ep *ep, const tci_outgoing *out);

/* Makes an item of a whole frame, whose payload the caller fills in. NULL: out of memory. */
tci_queued *tci_send_queue_make(const tci_frame *frame);
/* The item leaves after all that wait; its bytes count. */
void tci_send_queue_append(tc_ep *ep, tci_queued *item);
/* A control frame leaves before all that wait, and its bytes do not count. */
void tci_send_queue_prepend(tc_ep *ep, tci_queued *item);

/* Takes the first item out. */
tci_queued *tci_send_queue_pop(tc_ep *ep);
/* Frees an item that was taken out. */
void tci_send_queue_free(tc_ep *ep, tci_queued *item);
void tci_send_queue_clear(tc_ep *ep);

#endif
