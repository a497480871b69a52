/* The socket of the code that connects an endpoint (endpoint/handshake.h): the operations by
 * which the files that poll, send and free endpoints reach it. tci_handshake_begin attaches it,
 * so a program that connects to no peer does not need that code. */
#ifndef TCI_HANDSHAKE_OPS_H
#define TCI_HANDSHAKE_OPS_H

#include "core/ep.h"

typedef struct tci_handshake_ops {
    /* Called at intervals, for an endpoint in any state: continues to connect it, or ends it
     * after its deadline. */
    void (*turn)(tc_ep *ep, uint64_t now_ns);
    /* The rest is for endpoints that have a stream. Takes what it has received: hello messages,
     * records, its end. */
    void (*read)(tc_ep *ep);
    /* tci_stream_send and tci_stream_flush: before the stream carries records. */
    tc_status (*send)(tc_ep *ep, const void *bytes, size_t size, tc_error *err);
    tc_status (*flush)(tc_ep *ep);
    /* Stops to receive and closes the stream. */
    void (*close)(tc_ep *ep);
} tci_handshake_ops;

static inline void tci_handshake_ops_turn(tc_ep *ep, uint64_t now_ns)
{
    if (ep->hs.ops != NULL)
        ep->hs.ops->turn(ep, now_ns);
}

static inline void tci_handshake_ops_read(tc_ep *ep)
{
    ep->hs.ops->read(ep);
}

#endif
