/* Credit: telling a peer how far its ring was consumed. What the peer reads into it (all of a
 * flush was run, so every refusal has been said) holds only if frames that left before are there
 * first. */
#ifndef TCI_CREDIT_H
#define TCI_CREDIT_H

#include "core/ep.h"

/* Publishes what was consumed, by the way that the peer's delivery needs: at once, or when
 * frames that left before have arrived. */
void tci_credit_return(tc_ep *ep);

/* Whether credit that had to wait may leave now; then the second sends it. */
bool tci_credit_may_leave(const tc_ep *ep);
void tci_credit_return_due(tc_ep *ep);

/* Waits, progressing, for a goodbye that must not overtake frames that have left. Credit that
 * was to wait for them is forgotten: the caller returns it now. */
void tci_credit_let_frames_arrive(tc_ep *ep, uint64_t timeout_ns);

#endif
