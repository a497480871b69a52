/* The turns of tc_progress. */
#ifndef TCI_PROGRESS_H
#define TCI_PROGRESS_H

#include "context/context_object.h"

/* Descriptors, deadlines and every endpoint are checked this often, if there is a turn. An
 * endpoint that the caches have dropped takes some 0.1 us: with many peers that each wake this
 * side once in a while, checking all would cost more than the message that woke it. */
#define TCI_SERVICE_INTERVAL_NS 1000000ull
#define TCI_SERVICE_INTERVAL_MAX_NS 20000000ull
static inline uint64_t tci_progress_interval_ns(const tci_core *core)
{
    uint64_t interval_ns = TCI_SERVICE_INTERVAL_NS * (1 + core->am_peers / 4);
    return interval_ns < TCI_SERVICE_INTERVAL_MAX_NS ? interval_ns
                                                     : TCI_SERVICE_INTERVAL_MAX_NS;
}

/* tc_progress by the owner of the context, or by the thread that serves it. */
unsigned tci_progress_turn(tc_context *ctx);

/* Progress that checks everything, for calls that block. */
unsigned tci_progress_all(tc_context *ctx);

/* Calls the program for the end of an endpoint that it may know, unless done already. */
void tci_progress_tell_end(tc_context *ctx, tc_ep *ep, tc_ep_event event);

#endif
