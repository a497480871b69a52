/* The socket of the module `usage`: counts calls by function, peer and identity. Counted
 * batches run in the module's own copy of dispatch's loops, so with the option usage at `off`,
 * where core->usage is NULL, no call takes an instruction more. Empty without the module. */
#ifndef TCI_USAGE_OPS_H
#define TCI_USAGE_OPS_H

#include "core/ep.h"

#ifdef TCI_WITHOUT_USAGE
#define TCI_HAS_USAGE 0
#else
#define TCI_HAS_USAGE 1
#endif

typedef enum tci_usage_event {
    TCI_USAGE_LOADED, /* a function became callable, or got better code */
    TCI_USAGE_REFUSED,
    TCI_USAGE_EVICTED
} tci_usage_event;

typedef struct tci_usage_ops {
    /* Runs a batch of up to `bytes` of the ring. Returns how many messages ran. */
    unsigned (*run)(tc_ep *ep, uint64_t bytes);
    /* Makes a call within such a batch. */
    void (*call)(tc_ep *ep, tc_ifunc *fn, void *payload, size_t size);
    /* A checked INJECT frame has run within such a batch. */
    void (*injected)(tc_ep *ep, const tci_frame *f, const uint8_t *frame);
    /* ep or fn is NULL where it is unknown; ns: the time of a load. */
    void (*note)(tci_core *core, tc_ep *ep, tc_ifunc *fn, tci_usage_event event, uint64_t ns);
    /* An endpoint that was counted is being freed. */
    void (*leave)(tc_ep *ep);
} tci_usage_ops;

static inline bool tci_usage_is_on(const tci_core *core)
{
    return TCI_HAS_USAGE && core->usage != NULL;
}

static inline void tci_usage_note(tci_core *core, tc_ep *ep, tc_ifunc *fn,
                                  tci_usage_event event, uint64_t ns)
{
    if (tci_usage_is_on(core))
        core->usage->note(core, ep, fn, event, ns);
}

#endif
