/* Room at the peer, for whoever was told that there is none. */
#ifndef TCI_ROOM_H
#define TCI_ROOM_H

#include "core/ep.h"

/* Up to where the peer must have consumed before something that waits here can go on:
 * UINT64_MAX when nothing does. Never behind the tail, which a peer that goes on reaches. */
uint64_t tci_room_awaited(const tc_ep *ep);

/* A send found no room: the next tc_wait returns when there is some. */
void tci_room_want(tc_ep *ep);

static inline bool tci_room_is_wanted(const tc_ep *ep)
{
    return ep->tx.room_wanted;
}

/* Whether a send was refused, and would not be now; says so once. */
bool tci_room_has_come(tc_ep *ep);
/* The same of any endpoint. */
bool tci_room_has_come_to_any(tci_core *core);

#endif
