/* How much each peer may have in UCX's queue in front of this side.
 *
 * Over shared memory all peers' messages wait in one queue of few places, and whoever comes when
 * there are free ones takes them. So that none takes all, credit says how many each may take as
 * soon as several send much. */
#ifndef TCI_SHARE_H
#define TCI_SHARE_H

#include "core/core.h"

typedef struct tc_ep tc_ep;

/* For credit that is about to leave: how many messages with frames the peer may have sent that
 * were not consumed. 0: any. */
uint64_t tci_share_of(tc_ep *ep);

/* Now and then. Who sent little since the last round does not count any more. */
void tci_share_end_round(tci_core *core, uint64_t now_ns);

#endif
