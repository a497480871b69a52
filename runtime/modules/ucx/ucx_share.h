/* Shares: how much each peer may have in UCX's queue to this side.
 *
 * Over shared memory the messages of all peers wait in one queue with few slots, and any peer
 * may take the free ones. So that one peer does not take all, credit states the slots of each
 * as soon as several send much. */
#ifndef TCI_UCX_SHARE_H
#define TCI_UCX_SHARE_H

#include "core/ep.h"

/* Returns the share for credit that is about to leave: how many messages with frames the peer
 * may have sent that were not consumed. 0: any number. */
uint64_t tci_ucx_share_of(tc_ep *ep);

/* Called now and then: ends a round. Peers that send little gradually stop counting. */
void tci_ucx_share_end_round(tci_core *core, uint64_t now_ns);

#endif
