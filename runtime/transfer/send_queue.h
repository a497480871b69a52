/* The queue of an endpoint: messages that wait for space at the peer, for the endpoint to open,
 * or behind others that do. queue_drain.h sends them, in their order.
 *
 * Only messages can be refused with TC_E_AGAIN. Control frames and replies are owed to a peer,
 * which can ask for more than it reads. So while more than the option send_queue_bytes waits,
 * its ring is not read (dispatch/dispatch.h), and with eight times that the endpoint ends. */
#ifndef TCI_SEND_QUEUE_H
#define TCI_SEND_QUEUE_H

#include "core/ep.h"
#include "transfer/outgoing.h"

/* The least value that the option has here: ending a peer for a single frame would not help. */
#define TCI_QUEUE_BYTES_MIN (64u << 10)
#define TCI_QUEUE_SHARES_MAX 8u

/* Returns the number of queued bytes above which the peer's ring is not read. */
static inline size_t tci_send_queue_mark(const tc_ep *ep)
{
    const uint64_t bytes = ep->core->options.send_queue_bytes;
    return bytes > TCI_QUEUE_BYTES_MIN ? (size_t)bytes : TCI_QUEUE_BYTES_MIN;
}

/* Called after the queue was too long: returns whether it is short enough for the peer's ring
 * to be read again. */
bool tci_send_queue_has_shrunk(const tc_ep *ep);

/* Returns whether `cost` more bytes may wait. */
bool tci_send_queue_takes(const tc_ep *ep, size_t cost);

typedef struct tci_queued {
    struct tci_queued *next; /* bound: send_queue_bytes */
    tc_ifunc *fn;            /* held; NULL: a complete frame (control or reply) */
    tci_frame frame; /* of a message: kind CODE if its code is to go along in any case */
    size_t cost;     /* bytes that count for the queue */
    struct tci_started *started; /* owns the payload's parts; NULL: it is in the item */
    uint8_t payload[];
} tci_queued;

/* Queues a message; its payload is made or copied now. TC_E_AGAIN: the queue would exceed
 * send_queue_bytes, or the quota of the peer's identity. TC_E_NO_MEMORY, TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_send_queue_message(tc_ep *ep, const tci_outgoing *out);

/* Makes an item for a whole frame; the caller fills in its payload, and adds to its cost what
 * it keeps elsewhere. NULL: out of memory. */
tci_queued *tci_send_queue_make(const tci_frame *frame);
/* Puts the item behind all others. */
void tci_send_queue_append(tc_ep *ep, tci_queued *item);
/* Puts a control frame before all items but other control frames. */
void tci_send_queue_prepend(tc_ep *ep, tci_queued *item);

/* Takes the first item out. */
tci_queued *tci_send_queue_pop(tc_ep *ep);
/* Takes an item out, at any position. */
void tci_send_queue_take(tc_ep *ep, tci_queued *item);
/* Frees an item that was taken out. */
void tci_send_queue_free(tc_ep *ep, tci_queued *item);
void tci_send_queue_clear(tc_ep *ep);

#endif
