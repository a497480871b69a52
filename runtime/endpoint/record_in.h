/* What comes by a connection that carries everything: records, and hello messages among them. Each
 * goes where it belongs, as UCX's handlers would put it there.
 *
 * One is judged before any of its body is believed; large bodies are read straight to their place.
 * A peer holds no more of this side's memory with it than the stream's buffer. */
#ifndef TCI_RECORD_IN_H
#define TCI_RECORD_IN_H

#include "core/ep.h"
#include "wire/record.h"

typedef struct tci_record_in {
    tc_ep *ep;
    struct tci_record_in *next, **previous_next; /* of the core's */
    uint32_t sequence;                           /* of the next record */
    bool watches_room;                           /* for writing: see tci_record_in_watch_room */

    /* A body that comes in parts. */
    size_t left; /* of it; 0: none does */
    uint8_t *to; /* where they go; NULL: nobody wants them */
    tci_record record;
    uint64_t signal; /* FRAMES: the first 8 bytes, which are stored last */
    tci_sink sink;   /* PAYLOAD that somebody wants */
} tci_record_in;

/* For an endpoint whose link is its stream. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_record_in_begin(tc_ep *ep, tc_error *err);
/* NULL is allowed. Before what a payload is written to is freed. */
void tci_record_in_end(tc_ep *ep);

/* Takes what has come, up to a bound. TC_E_AGAIN: that was all for now, or the endpoint has ended
 * meanwhile. TC_E_CORRUPT, TC_E_VERSION: what the peer sent is nothing that it may. TC_E_PEER_LOST,
 * TC_E_IO: the connection is gone; not said before what came until then was run. */
TC_MUST_CHECK tc_status tci_record_in_take(tc_ep *ep, tc_error *err);

/* Before a sleep: what the connection did not take yet wakes when it takes more. And after it. */
void tci_record_in_watch_room(tc_ep *ep, bool sleeps);

/* Whether something has come that no descriptor tells of. */
bool tci_record_in_has_more(const tc_ep *ep);

#endif
