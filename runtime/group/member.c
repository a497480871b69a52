/* Who is at the other end of an endpoint, and what members tell each other. */
#include "group/member.h"

#include "base/cursor.h"
#include "core/ep_state.h"
#include "transfer/frame_out.h"

#include <stdlib.h>

static void send_membership(tc_ep *ep)
{
    uint8_t payload[TCI_MEMBERSHIP_BYTES];
    const tci_membership own = {.group = ep->member.group->id,
                                .size = ep->member.group->size,
                                .rank = ep->member.group->rank};
    if (ep->member.notified)
        return;
    ep->member.notified = true;
    tci_membership_encode(&own, payload);
    tci_frame_out_control(ep, TCI_CONTROL_MEMBER, 0, payload, sizeof payload);
}

void tci_member_opened(tc_ep *ep)
{
    if (ep->member.group != NULL)
        send_membership(ep);
}

void tci_member_ended(tc_ep *ep, const tc_error *error)
{
    tc_group *group = ep->member.group;
    if (group == NULL)
        return;
    tci_member *m = &group->members[ep->member.rank];
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
    ep->member.group = group;
    ep->member.rank = rank;
    if (m->ep == NULL)
        m->ep = ep;
    if (ep->member.arrived > m->arrived)
        m->arrived = ep->member.arrived;
    m->arrived_by = ep;
    send_membership(ep);
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
    tci_pending_add(&ep->core->pending, TCI_WORK_QUEUE);
}

static tc_status on_member(tc_ep *ep, const uint8_t *payload, size_t size, tc_error *err)
{
    tci_membership member;
    TC_TRY(tci_membership_decode(payload, size, &member, err));
    if (ep->member.group != NULL) {
        TC_TRY(check_size(&member, ep->member.group, err));
        if (member.group == ep->member.group->id && member.rank == ep->member.rank) {
            confirm(ep);
            return TC_OK;
        }
        return tci_error_set(err, TC_E_CORRUPT,
                             "rank %u of group %llu was expected there, and rank %u of group "
                             "%llu answered",
                             ep->member.rank, (unsigned long long)ep->member.group->id,
                             member.rank, (unsigned long long)member.group);
    }
    tc_group *group = tci_group_find(ep->core, member.group);
    if (group == NULL) { /* there may be one soon */
        ep->member.advertised = member;
        return TC_OK;
    }
    TC_TRY(check_size(&member, group, err));
    join_group(ep, group, member.rank);
    return TC_OK;
}

void tci_member_adopt(tc_group *group)
{
    tc_error error;
    for (tc_ep *ep = group->core->first; ep != NULL; ep = ep->next) {
        if (ep->member.group != NULL || ep->member.advertised.group != group->id ||
            !tci_ep_is_open(ep))
            continue;
        if (check_size(&ep->member.advertised, group, &error) == TC_OK)
            join_group(ep, group, ep->member.advertised.rank);
        else
            tci_ep_fail(ep, &error);
    }
}

static tc_status read_count(const uint8_t *payload, size_t size, uint64_t *count_out,
                            tc_error *err)
{
    if (size != sizeof *count_out)
        return tci_error_set(err, TC_E_CORRUPT, "barrier: %zu bytes, expected 8", size);
    tci_reader r;
    tci_reader_init(&r, payload, size);
    *count_out = tci_read_u64(&r);
    return TC_OK;
}

tc_status tci_member_control(tc_ep *ep, tci_control control, const uint8_t *payload,
                             size_t size, tc_error *err)
{
    uint64_t count;
    if (control == TCI_CONTROL_MEMBER)
        return on_member(ep, payload, size, err);
    TC_TRY(read_count(payload, size, &count, err));
    if (control == TCI_CONTROL_RELEASED) {
        if (ep->member.group != NULL && ep->member.rank == 0 &&
            count > ep->member.group->released)
            ep->member.group->released = count;
        return TC_OK;
    }
    ep->member.arrived = count;
    if (ep->member.group != NULL &&
        count > ep->member.group->members[ep->member.rank].arrived) {
        ep->member.group->members[ep->member.rank].arrived = count;
        ep->member.group->members[ep->member.rank].arrived_by = ep;
    }
    return TC_OK;
}
