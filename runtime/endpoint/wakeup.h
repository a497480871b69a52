/* The sleeping side of core/doorbell.h: our own doorbell word, and the last check for work
 * before a sleep. */
#ifndef TCI_WAKEUP_H
#define TCI_WAKEUP_H

#include "core/ep.h"

/* The result of arming all endpoints. */
typedef struct tci_armed {
    bool rung;           /* every peer that may send us something wakes us */
    bool needs_barrier;  /* some doorbell word states that we sleep: see core/doorbell.h */
    bool credit_blocked; /* something here waits for credit */
} tci_armed;

/* Asks the peer to wake us for data to this endpoint, and adds the result to *armed. */
void tci_wakeup_arm(tc_ep *ep, tci_armed *armed);
void tci_wakeup_disarm(tc_ep *ep);

/* Returns whether there is work by now. Called after the barrier. */
bool tci_wakeup_finds_work(tc_ep *ep);

#endif
