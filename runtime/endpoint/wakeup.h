/* The sleeping side of core/bell.h: our own bell word, and the last look before a sleep. */
#ifndef TCI_WAKEUP_H
#define TCI_WAKEUP_H

#include "core/ep.h"

/* Asks to be rung for what comes to this endpoint. False: it is open, and its peer cannot see
 * our bell though it may store something that concerns us. */
bool tci_wakeup_arm(tc_ep *ep);
void tci_wakeup_disarm(tc_ep *ep);

/* After the barrier: whether there is something to do by now. */
bool tci_wakeup_finds_work(tc_ep *ep);

#endif
