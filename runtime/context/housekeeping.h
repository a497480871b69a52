/* All work of tc_progress beside polling rings. */
#ifndef TCI_HOUSEKEEPING_H
#define TCI_HOUSEKEEPING_H

#include "context/context_object.h"

/* Descriptors, deadlines and every endpoint are checked this often, if there is a turn. An
 * endpoint that the caches have dropped takes some 0.1 us: with many peers that each wake this
 * side once in a while, checking all would cost more than the message that woke it. */
#define TCI_SERVICE_INTERVAL_NS 1000000ull
#define TCI_SERVICE_INTERVAL_MAX_NS 20000000ull
static inline uint64_t tci_housekeeping_interval_ns(const tci_core *core)
{
    uint64_t interval_ns = TCI_SERVICE_INTERVAL_NS * (1 + core->am_peers / 4);
    return interval_ns < TCI_SERVICE_INTERVAL_MAX_NS ? interval_ns
                                                     : TCI_SERVICE_INTERVAL_MAX_NS;
}

/* Returns whether a turn has to do more than poll: causes are pending, functions are being
 * loaded, or the countdown is over. */
bool tci_housekeeping_is_due(const tc_context *ctx);

/* Takes all causes of pending work and does it. Returns how many messages were run. */
unsigned tci_housekeeping(tc_context *ctx);

/* Reads connections that carry frames. Returns how many messages were run. */
unsigned tci_housekeeping_streams(tc_context *ctx);

/* Returns whether that serves all descriptors of the core, because connections are many: then
 * they are found by epoll, and all others with them. */
bool tci_housekeeping_turns_serve(const tci_core *core);

#endif
