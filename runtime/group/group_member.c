/* Who is at the other end of an endpoint, and what members tell each other. */
#include "group_private.h"

#include "base/logger.h"
#include "transfer/send.h"

#include <stdlib.h>

static void tell_membership(tc_ep *ep)
{
    uint8_t payload[TCI_MEMBERSHIP_BYTES];
    const tci_membership own = {
        .group = ep->group->id, .size = ep->group->size, .rank = ep->group->rank};
    if (ep->member_told)
        return;
    ep->member_told = true;
    tci_membership_encode(&own, payload);
    tci_send_control(ep, TCI_CONTROL_MEMBER, 0, payload, sizeof payload);
}

void tci_group_ep_opened(tc_ep *ep)
{
    tell_membership(ep);
}

void tci_group_ep_ended(tc_ep *ep, const tc_error *error)
{
    tc_group *group = ep->group;
    if (group == NULL)
        return;
    tci_member *m = &group->members[ep->rank];
    if (m->arrived_by == ep)
        m->arrived_by = NULL;
    if (m->ep == ep)
        m->ep = NULL;
    else if (m->ep != NULL)
        return;
    if (m->error == NULL)
        m->error = malloc(sizeof *m->error);
    if (m->error != NULL)
        *m->error = *error;
}

/* The first endpoint that is known to lead to a member is the one to send by; a second, made
 * when both sides called at once, only receives. */
static void join_group(tc_ep *ep, tc_group *group, uint32_t rank)
{
    tci_member *m = &group->members[rank];
    ep->group = group;
    ep->rank = rank;
    if (m->ep == NULL)
        m->ep = ep;
    if (ep->arrived > m->arrived)
        m->arrived = ep->arrived;
    m->arrived_by = ep;
    tell_membership(ep);
}

static tc_status check_size(const tci_membership *member, const tc_group *group, tc_error *err)
{
    if (member->size == group->size)
        return TC_OK;
    return tci_error_set(err, TC_E_CORRUPT,
                         "rank %u of the group counts %u members, and here it has %u",
                         member->rank, member->size, group->size);
}

/* What was sent meanwhile leaves. */
static void confirm(tc_ep *ep)
{
    ep->unconfirmed = false;
    tci_ep_set_fast(ep);
    ep->core->attention |= TCI_CHORES;
}

static tc_status on_member(tc_ep *ep, const uint8_t *payload, size_t size, tc_error *err)
{
    tci_membership member;
    TC_TRY(tci_membership_decode(payload, size, &member, err));
    if (ep->group != NULL) {
        TC_TRY(check_size(&member, ep->group, err));
        if (member.group == ep->group->id && member.rank == ep->rank) {
            confirm(ep);
            return TC_OK;
        }
        return tci_error_set(err, TC_E_CORRUPT,
                             "rank %u of group %llu was expected there, and rank %u of group "
                             "%llu answered",
                             ep->rank, (unsigned long long)ep->group->id, member.rank,
                             (unsigned long long)member.group);
    }
    tc_group *group = tci_group_find(ep->core, member.group);
    if (group == NULL) { /* there may be one soon */
        ep->claimed = member;
        return TC_OK;
    }
    TC_TRY(check_size(&member, group, err));
    join_group(ep, group, member.rank);
    return TC_OK;
}

void tci_group_adopt(tc_group *group)
{
    tc_error error;
    for (tc_ep *ep = group->core->first; ep != NULL; ep = ep->next) {
        if (ep->group != NULL || ep->claimed.group != group->id || !tci_ep_is_open(ep))
            continue;
        if (check_size(&ep->claimed, group, &error) == TC_OK)
            join_group(ep, group, ep->claimed.rank);
        else
            tci_ep_fail(ep, &error);
    }
}

static tc_status read_count(const uint8_t *payload, size_t size, uint64_t *count_out,
                            tc_error *err)
{
    if (size != sizeof *count_out)
        return tci_error_set(err, TC_E_CORRUPT, "barrier: %zu bytes, expected 8", size);
    memcpy(count_out, payload, sizeof *count_out);
    return TC_OK;
}

tc_status tci_group_control(tc_ep *ep, tci_control control, const uint8_t *payload, size_t size,
                            tc_error *err)
{
    uint64_t count;
    if (control == TCI_CONTROL_MEMBER)
        return on_member(ep, payload, size, err);
    TC_TRY(read_count(payload, size, &count, err));
    if (control == TCI_CONTROL_RELEASED) {
        if (ep->group != NULL && ep->rank == 0 && count > ep->group->released)
            ep->group->released = count;
        return TC_OK;
    }
    ep->arrived = count;
    if (ep->group != NULL && count > ep->group->members[ep->rank].arrived) {
        ep->group->members[ep->rank].arrived = count;
        ep->group->members[ep->rank].arrived_by = ep;
    }
    return TC_OK;
}
