/* Control frames between members of a group: their ranks, and barriers. */
#include "modules/calls/member.h"

#include "base/assertion.h"
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

/* Keeps why a member has no endpoint. */
static void lose(tc_group *group, tci_member *m, const tc_error *error)
{
    if (m->error == NULL)
        m->error = malloc(sizeof *m->error);
    if (m->error != NULL)
        *m->error = *error;
    group->losses++;
}

void tci_member_gone(tc_group *group, uint32_t rank, const tc_error *why)
{
    tci_member *m = &group->members[rank];
    if (m->ep == NULL)
        lose(group, m, why);
    else if (!tci_ep_is_open(m->ep))
        tci_ep_fail(m->ep, why);
}

void tci_member_ended(tc_ep *ep, const tc_error *error)
{
    tc_group *group = ep->member.group;
    if (group == NULL)
        return;
    TCI_INVARIANT_IS(group_rank, ep->member.rank, <, group->size);
    tci_member *m = &group->members[ep->member.rank];
    if (m->arrived_by == ep)
        m->arrived_by = NULL;
    TCI_INVARIANT(group_member, m->ep == NULL || m->ep->member.rank == ep->member.rank);
    if (m->ep == ep)
        m->ep = NULL;
    else if (m->ep != NULL)
        return;
    lose(group, m, error);
}

/* Notes the newest barrier that a member has reached. */
static void note_arrival(tc_group *group, tci_member *m, uint64_t count)
{
    if (group->rank == 0 && m != group->members && m->arrived < group->entered &&
        count >= group->entered) {
        TCI_INVARIANT_IS(group_missing, group->missing, >, 0);
        group->missing--;
    }
    m->arrived = count;
}

/* Adds the endpoint to the group. The first endpoint that is known to lead to a member is the
 * one to send by; a second, made when both sides connected at once, only receives. */
static void join_group(tc_ep *ep, tc_group *group, uint32_t rank)
{
    TCI_INVARIANT_IS(group_rank, rank, <, group->size);
    TCI_INVARIANT(group_member, ep->member.group == NULL);
    tci_member *m = &group->members[rank];
    ep->member.group = group;
    ep->member.rank = rank;
    if (m->ep == NULL)
        m->ep = ep;
    if (ep->member.arrived > m->arrived)
        note_arrival(group, m, ep->member.arrived);
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

/* Lets messages leave that were sent before the peer has stated its rank. */
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
        /* The ids may be secrets. */
        return tci_error_set(
            err, TC_E_CORRUPT, "rank %u was expected there, and rank %u of %s answered",
            ep->member.rank, member.rank,
            member.group == ep->member.group->id ? "the group" : "another group");
    }
    tc_group *group = tci_group_find(ep->core, member.group);
    if (group == NULL) { /* it may be created later */
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

/* --- barriers ---------------------------------------------------------------------------- */

#define ABANDONED_HEAD_BYTES 12u
#define ABANDONED_TEXT_MAX 400u

static void send_abandoned(const tc_group *group, tc_ep *ep)
{
    uint8_t payload[ABANDONED_HEAD_BYTES + ABANDONED_TEXT_MAX];
    tci_writer w;
    size_t size = strnlen(group->abandoned_for.text, ABANDONED_TEXT_MAX);
    tci_writer_init(&w, payload, sizeof payload);
    tci_write_u64(&w, group->abandoned);
    tci_write_u32(&w, (uint32_t)group->abandoned_for.status);
    tci_write_bytes(&w, group->abandoned_for.text, size);
    tci_frame_out_control(ep, TCI_CONTROL_ABANDONED, 0, payload, ABANDONED_HEAD_BYTES + size);
}

void tci_member_enter_barrier(tc_group *group)
{
    group->entered++;
    group->missing = 0;
    for (uint32_t rank = 1; rank < group->size; rank++)
        group->missing += group->members[rank].arrived < group->entered;
}

void tci_member_abandon_barrier(tc_group *group, const tc_error *error)
{
    group->abandoned = group->entered;
    group->abandoned_for = *error;
    for (uint32_t rank = 0; rank < group->size; rank++) {
        const tci_member *m = &group->members[rank];
        if (m->arrived_by != NULL && m->arrived >= group->abandoned)
            send_abandoned(group, m->arrived_by);
    }
}

static void on_abandoned(tc_group *group, tci_reader *r, uint64_t number)
{
    uint32_t status = tci_read_u32(r);
    size_t size = tci_reader_left(r);
    const char *text = (const char *)tci_read_bytes(r, size);
    if (r->failed || number <= group->abandoned || (int32_t)status >= 0)
        return;
    group->abandoned = number;
    tci_error_set(&group->abandoned_for, (tc_status)(int32_t)status, "%.*s",
                  (int)(size < ABANDONED_TEXT_MAX ? size : ABANDONED_TEXT_MAX), text);
}

/* Notifies a member at once that reaches a barrier which was given up. */
static void on_arrived(tc_ep *ep, uint64_t count)
{
    tc_group *group = ep->member.group;
    ep->member.arrived = count;
    if (group == NULL)
        return;
    tci_member *m = &group->members[ep->member.rank];
    if (count > m->arrived) {
        note_arrival(group, m, count);
        m->arrived_by = ep;
    }
    if (count <= group->abandoned && count > group->released)
        send_abandoned(group, ep);
}

tc_status tci_member_control(tc_ep *ep, tci_control control, const uint8_t *payload,
                             size_t size, tc_error *err)
{
    tc_group *group = ep->member.group;
    if (control == TCI_CONTROL_MEMBER)
        return on_member(ep, payload, size, err);
    tci_reader r;
    tci_reader_init(&r, payload, size);
    uint64_t count = tci_read_u64(&r);
    if (r.failed || (control != TCI_CONTROL_ABANDONED && tci_reader_left(&r) > 0))
        return tci_error_set(err, TC_E_CORRUPT, "barrier: %zu bytes, expected 8", size);
    if (control == TCI_CONTROL_ARRIVED)
        on_arrived(ep, count);
    else if (group == NULL || ep->member.rank != 0)
        return TC_OK; /* only rank 0 ends barriers */
    else if (control == TCI_CONTROL_ABANDONED)
        on_abandoned(group, &r, count);
    else if (count > group->released)
        group->released = count;
    return TC_OK;
}
