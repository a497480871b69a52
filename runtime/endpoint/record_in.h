/* Receives from a connection that carries everything: records, with hello messages among them.
 * Each is delivered as UCX's handlers would deliver it.
 *
 * A record's header is checked before its body is used; large bodies are read directly to their
 * destination. A peer occupies no more of this side's memory with it than the stream's
 * buffer. */
#ifndef TCI_RECORD_IN_H
#define TCI_RECORD_IN_H

#include "core/ep.h"
#include "wire/record.h"

typedef struct tci_record_in {
    tc_ep *ep;
    struct tci_record_in *next, **previous_next; /* of the core; bound: CONNECTIONS_MAX */
    uint32_t sequence;                           /* of the next record */

    /* A body that arrives in parts. */
    size_t left;    /* bytes not yet received; 0: no body is under way */
    uint8_t *to;    /* destination of the next part; NULL: the bytes are dropped */
    bool bulk;      /* so many that they are read when epoll reports them */
    bool by_pieces; /* it does so by large pieces alone */
    tci_record record;
    uint64_t signal; /* FRAMES: the first 8 bytes, which are stored last */
    tci_sink sink;   /* PAYLOAD that is not dropped */
} tci_record_in;

/* Begins to receive records for an endpoint that uses its stream as its link.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_record_in_begin(tc_ep *ep, tc_error *err);
/* Stops receiving; does nothing if it was not begun. Called before the memory that a payload is
 * written to is freed. */
void tci_record_in_end(tc_ep *ep);

/* Takes received data, up to a bound. TC_E_AGAIN: no more for now, or the endpoint has ended
 * meanwhile. TC_E_CORRUPT, TC_E_VERSION: the peer sent data that is not allowed.
 * TC_E_PEER_LOST, TC_E_IO: the connection is gone; returned only by a call that took nothing,
 * so that messages received before can run. */
TC_MUST_CHECK tc_status tci_record_in_take(tc_ep *ep, tc_error *err);

#endif
