/* Flushing and closing endpoints. */
#ifndef TCI_CLOSING_H
#define TCI_CLOSING_H

#include "context/context_object.h"

/* The longest time for goodbyes, of any number of endpoints together. */
#define TCI_GOODBYE_NS 100000000ull

/* Frees an endpoint that was closed inside a function or a callback, or has ended, at the
 * deadline at the latest. Flushes it as far as that needs no turn here, and sends a goodbye if
 * the endpoint is open: one that is not in order if messages may be lost. */
void tci_closing_end(tc_ep *ep, uint64_t deadline_ns);

/* Closes all endpoints of the context as tc_ep_close does, or only those that lead to members
 * of a group, which then accepts no more. All together have the time of one. */
void tci_closing_all(tc_context *ctx, tc_group *group);

#endif
