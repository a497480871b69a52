/* Space at the peer, for callers that were refused for lack of it. */
#ifndef TCI_SEND_SPACE_H
#define TCI_SEND_SPACE_H

#include "core/ep.h"

/* Returns the position that the peer must have consumed before something that waits here can
 * continue; UINT64_MAX when nothing waits. Never beyond the tail, which a peer that continues
 * reaches. */
uint64_t tci_send_space_awaited(const tc_ep *ep);

/* Records that a send found no space: the next tc_wait returns when there is some. */
void tci_send_space_want(tc_ep *ep);

static inline bool tci_send_space_is_wanted(const tc_ep *ep)
{
    return ep->tx.space_wanted;
}

/* Returns whether a send was refused and would succeed now; reports it once. */
bool tci_send_space_came(tc_ep *ep);
/* The same for any endpoint. */
bool tci_send_space_came_to_any(tci_core *core);

#endif
