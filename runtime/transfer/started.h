/* Sends of tc_send_start. Their bytes stay in the caller's memory until they end: in the
 * endpoint's queue, and while a large payload leaves. */
#ifndef TCI_STARTED_H
#define TCI_STARTED_H

#include "core/ep.h"

#include <sys/uio.h>

/* With so many that have ended and are not reported, a context starts no more. */
#define TCI_ENDED_SENDS_MAX 65536u
typedef struct tci_started {
    struct tci_started *next; /* of ended_sends, newest first; bound: TCI_ENDED_SENDS_MAX */
    tc_send_params params;
    tc_status status; /* set when it ends */
    size_t size;      /* of all parts */
    size_t count;     /* of parts that are not empty: at most TC_SEND_PARTS_MAX */
    struct iovec parts[];
} tci_started;

/* Returns the bytes that the record takes in the queue. */
static inline size_t tci_started_cost(const tci_started *started)
{
    return sizeof *started + started->count * sizeof started->parts[0];
}

/* Ends a send: the program is notified by the next tci_started_report. */
void tci_started_end(tci_core *core, tci_started *started, tc_status status);

/* Returns the status of sends that are dropped with the endpoint. */
tc_status tci_started_reason(const tc_ep *ep);

/* Counts and calls back for all sends that have ended, and frees them. */
void tci_started_report(tci_core *core);

#endif
