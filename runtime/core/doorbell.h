/* Waking a peer that sleeps, at no cost to one that does not.
 *
 * A store into this side's memory does not wake it. So a side that is about to sleep marks this
 * in the doorbell word of its region. A peer that finds the word changed after a store rings:
 * it sends one WAKEUP message for each sleep. No wakeup is lost between the two sides, because
 * each stores first and loads afterwards:
 *
 *     sleeper                          sender
 *     doorbell = asleep                frame (or credit)
 *     barrier in all processes         (only the compiler keeps the order)
 *     polls rings and credit           loads the doorbell
 *     sleeps                           rings if it is asleep, and was not rung yet
 *
 * The sender passes a barrier while the sleeper waits for its own. If the sender stored before
 * it, the sleeper's poll finds the store; if the sender loads after it, it finds the doorbell.
 * A store and a load cannot both be on the wrong side. So tc_send needs no fence: one load of a
 * line that stays in its cache until the peer arms or disarms.
 *
 * A peer that does not ring, or writes where it should not, delays the sleeper by at most the
 * option sleep_max. A peer that rings without reason makes it poll once more. */
#ifndef TCI_DOORBELL_H
#define TCI_DOORBELL_H

#include "core/ep.h"

static inline bool tci_doorbell_has_changed(const tc_ep *ep)
{
    return tci_ring_load_doorbell(ep->tx.doorbell) != ep->tx.doorbell_seen;
}

/* Called when the doorbell has changed: rings if the peer sleeps. Never blocks. */
void tci_doorbell_ring(tc_ep *ep);

/* Called after frames were stored. */
static inline void tci_doorbell_after_frames(tc_ep *ep)
{
    if (__builtin_expect(tci_doorbell_has_changed(ep), 0))
        tci_doorbell_ring(ep);
}

/* Called after credit was stored: rings if it reaches the position that the peer sleeps for. */
void tci_doorbell_ring_for_credit(tc_ep *ep);

/* Called after the peer's credit was stored. Most sleepers do not wait for credit. */
static inline void tci_doorbell_after_credit(tc_ep *ep)
{
    uint64_t doorbell = tci_ring_load_doorbell(ep->tx.doorbell);
    if (__builtin_expect(
            doorbell != ep->tx.doorbell_seen && (doorbell & TCI_DOORBELL_CREDIT) != 0, 0))
        tci_doorbell_ring_for_credit(ep);
}

#endif
