/* Goodbyes: flushing and ending endpoints without a turn of tc_progress, so no message is run
 * and no other endpoint is freed meanwhile. The blocking calls are in closing.h. */
#ifndef TCI_GOODBYE_H
#define TCI_GOODBYE_H

#include "context/context_object.h"

/* The longest time for goodbyes, of any number of endpoints together. */
#define TCI_GOODBYE_NS 100000000ull

/* Endpoints that end together. Any of them may end by itself, and be freed, in a turn of
 * tc_progress. */
typedef struct tci_company {
    tci_core *core;
    tc_ep *only;           /* NULL: several */
    const tc_group *group; /* NULL: all of the core */
} tci_company;

tc_ep *tci_goodbye_first(const tci_company *c);
tc_ep *tci_goodbye_next(const tci_company *c, const tc_ep *ep);
void tci_goodbye_to_all_open(const tci_company *c, void (*act)(tc_ep *ep));

/* Lets the peer see all messages that were sent. */
void tci_goodbye_urge(tc_ep *ep);
/* Returns whether the peer has run the messages up to that position, which is set when it is 0
 * and the queue is empty. */
bool tci_goodbye_has_run(tc_ep *ep, uint64_t *target);
/* Begins a flush of the endpoint. */
void tci_goodbye_begin_flush(tc_ep *ep);
/* Returns whether the peer has run all messages of a flush that was begun. */
bool tci_goodbye_is_flushed(tc_ep *ep);
/* Returns whether messages wait for a member of a group that has not come yet. */
bool tci_goodbye_awaits_member(const tc_ep *ep);
/* Returns whether messages may be lost if the endpoint ends now. */
bool tci_goodbye_may_lose(const tc_ep *ep);

/* Has the peers consume all that was sent so far, control frames included, until the deadline
 * at the latest. Returns whether they have. */
bool tci_goodbye_settle(const tci_company *c, uint64_t deadline_ns);

/* Sends the last credit and a goodbye on all open endpoints, until the deadline at the
 * latest. */
void tci_goodbye_say(const tci_company *c, uint64_t deadline_ns);

/* Frees an endpoint that was closed inside a function or a callback, or has ended, at the
 * deadline at the latest. Flushes it as far as that needs no turn here, and sends a goodbye if
 * the endpoint is open: one that is not in order if messages may be lost. */
void tci_goodbye_end(tc_ep *ep, uint64_t deadline_ns);

#endif
