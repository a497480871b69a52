/* The sleeping side of core/doorbell.h: our own doorbell word, and the last look before a
 * sleep. */
#ifndef TCI_WAKEUP_H
#define TCI_WAKEUP_H

#include "core/ep.h"

/* What arming all endpoints comes to. */
typedef struct tci_armed {
    bool rung;           /* every peer that may send us something wakes us */
    bool needs_barrier;  /* some doorbell word says that we sleep: see core/doorbell.h */
    bool credit_blocked; /* something here waits for credit */
} tci_armed;

/* Asks to be rung for what comes to this endpoint, and adds to *armed. */
void tci_wakeup_arm(tc_ep *ep, tci_armed *armed);
void tci_wakeup_disarm(tc_ep *ep);

/* After the barrier: whether there is something to do by now. */
bool tci_wakeup_finds_work(tc_ep *ep);

#endif
