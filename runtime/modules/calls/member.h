/* Relates endpoints to the members of groups that they lead to, and runs barriers. */
#ifndef TCI_MEMBER_H
#define TCI_MEMBER_H

#include "modules/calls/groups.h"

/* Adds endpoints with a peer that named this group before it was created here. */
void tci_member_adopt(tc_group *group);

/* Called when an endpoint has opened: if it is of a group, sends this side's rank. */
void tci_member_opened(tc_ep *ep);
/* Called when an endpoint that may be of a group has ended or is freed. */
void tci_member_ended(tc_ep *ep, const tc_error *error);

/* Called when the process of a member has ended, as the starter of the job knows. An open
 * endpoint shows that itself, behind the member's messages. */
void tci_member_gone(tc_group *group, uint32_t rank, const tc_error *why);

/* Called at rank 0 when it has entered a barrier: counts the members that it waits for. */
void tci_member_enter_barrier(tc_group *group);

/* Called at rank 0. Lets the barrier that it has entered fail with this error for all members
 * that reach it. */
void tci_member_abandon_barrier(tc_group *group, const tc_error *error);

/* Handles the control frames MEMBER, ARRIVED, RELEASED and ABANDONED. TC_E_CORRUPT: the
 * endpoint has to end. */
TC_MUST_CHECK tc_status tci_member_control(tc_ep *ep, tci_control control,
                                           const uint8_t *payload, size_t size, tc_error *err);

/* Connects again, when it is time, after a stream has failed to reach the member. */
void tci_member_retry(tc_ep *ep, uint64_t now_ns);

#endif
