/* Which member of which group is at the other end of an endpoint. */
#ifndef TCI_MEMBER_H
#define TCI_MEMBER_H

#include "group/groups.h"

/* Endpoints that named this group before there was one here. */
void tci_member_adopt(tc_group *group);

/* An endpoint has opened: if it is of a group, says who is here. */
void tci_member_opened(tc_ep *ep);
/* One that may be of a group has ended, or goes. */
void tci_member_ended(tc_ep *ep, const tc_error *error);

/* At rank 0: the barrier that it is in fails for all who come to it, with this error. */
void tci_member_abandon_barrier(tc_group *group, const tc_error *error);

/* The control frames MEMBER, ARRIVED, RELEASED and ABANDONED. TC_E_CORRUPT: the endpoint has to end. */
TC_MUST_CHECK tc_status tci_member_control(tc_ep *ep, tci_control control,
                                           const uint8_t *payload, size_t size, tc_error *err);

/* Tries again to connect by a stream that found nobody. */
void tci_member_retry(tc_ep *ep, uint64_t now_ns);

#endif
