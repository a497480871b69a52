/* Space at the peer, for callers that were refused for lack of it. */
#ifndef TCI_ROOM_H
#define TCI_ROOM_H

#include "core/ep.h"

/* Returns the position that the peer must have consumed before something that waits here can
 * continue; UINT64_MAX when nothing waits. Never beyond the tail, which a peer that continues
 * reaches. */
uint64_t tci_room_awaited(const tc_ep *ep);

/* Records that a send found no space: the next tc_wait returns when there is some. */
void tci_room_want(tc_ep *ep);

static inline bool tci_room_is_wanted(const tc_ep *ep)
{
    return ep->tx.room_wanted;
}

/* Returns whether a send was refused and would succeed now; reports it once. */
bool tci_room_has_come(tc_ep *ep);
/* The same for any endpoint. */
bool tci_room_has_come_to_any(tci_core *core);

#endif
