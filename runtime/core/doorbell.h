/* Waking a peer that sleeps, at no cost to one that does not.
 *
 * A peer that stores into our memory wakes nobody by that. So a side that is about to sleep
 * says so in the doorbell word of its region, and a peer that finds the word changed after it
 * has stored something rings: one WAKEUP message for each sleep. Nothing is lost between the
 * two sides, because each stores first and looks then:
 *
 *     sleeper                          sender
 *     doorbell = asleep                frame (or credit)
 *     barrier in all processes         (the compiler keeps the order, nothing else)
 *     looks at rings and credit        looks at the doorbell
 *     sleeps                           rings if it says asleep, and was not rung yet
 *
 * The sender passes a barrier while the sleeper waits for its own. If it stored before, the
 * sleeper's look finds that; if it looks after, it finds the doorbell. A store and a look
 * cannot both be on the wrong side. So tc_send needs no fence: one load of a line that stays in
 * its cache until the peer arms or disarms.
 *
 * A peer that does not ring, or writes where it should not, makes the sleeper late by at most
 * the option sleep_max, and one that rings for nothing makes it look around once more. */
#ifndef TCI_DOORBELL_H
#define TCI_DOORBELL_H

#include "core/ep.h"

static inline bool tci_doorbell_has_changed(const tc_ep *ep)
{
    return tci_ring_load_doorbell(ep->tx.doorbell) != ep->tx.doorbell_seen;
}

/* The doorbell has changed: rings if the peer sleeps. Never blocks. */
void tci_doorbell_ring(tc_ep *ep);

/* After frames were stored. */
static inline void tci_doorbell_after_frames(tc_ep *ep)
{
    if (__builtin_expect(tci_doorbell_has_changed(ep), 0))
        tci_doorbell_ring(ep);
}

/* Credit was stored: rings if it reaches the position that the peer sleeps for. */
void tci_doorbell_ring_for_credit(tc_ep *ep);

/* After the peer's credit was stored, which most sleepers do not wait for. */
static inline void tci_doorbell_after_credit(tc_ep *ep)
{
    uint64_t doorbell = tci_ring_load_doorbell(ep->tx.doorbell);
    if (__builtin_expect(
            doorbell != ep->tx.doorbell_seen && (doorbell & TCI_DOORBELL_CREDIT) != 0, 0))
        tci_doorbell_ring_for_credit(ep);
}

#endif
