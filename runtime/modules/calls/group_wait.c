/* Calls that wait for the members of a group. */
#include "context/context_object.h"

#include "base/assertion.h"
#include "context/interrupt.h"
#include "context/wait.h"
#include "core/task_turns.h"
#include "core/tasks_ops.h"
#include "modules/calls/group_news.h"
#include "modules/calls/member.h"
#include "transfer/frame_out.h"

#include <stdio.h>

#define NAMED_MAX 8u /* missing members that a text names */

typedef bool (*is_missing)(const tc_group *group, uint32_t rank);

/* Writes the missing ranks: "2, 5, 6" or "2, 5 and 14 more". Returns their number. */
static uint32_t name_missing(const tc_group *group, is_missing missing, char *text,
                             size_t capacity)
{
    uint32_t count = 0;
    size_t at = 0;
    text[0] = 0;
    for (uint32_t rank = 0; rank < group->size; rank++) {
        if (!missing(group, rank))
            continue;
        if (count++ < NAMED_MAX && at < capacity)
            at += (size_t)snprintf(text + at, capacity - at, "%s%u", at > 0 ? ", " : "", rank);
    }
    if (count > NAMED_MAX && at < capacity)
        (void)snprintf(text + at, capacity - at, " and %u more", count - NAMED_MAX);
    return count;
}

static tc_status busy(const char *what, const char *hint, tc_error *err)
{
    return tci_error_set(err, TC_E_BUSY, "%s waits, so not from inside an ifunc%s", what, hint);
}

static void take_news(tc_group *group)
{
    uint32_t rank;
    tc_error why;
    while (tci_group_news_next(group, &rank, &why))
        tci_member_gone(group, rank, &why);
}

/* --- connecting -------------------------------------------------------------------------- */

static bool is_not_open(const tc_group *group, uint32_t rank)
{
    const tc_ep *ep = group->members[rank].ep;
    return rank != group->rank && (ep == NULL || !tci_ep_takes_messages(ep));
}

static tc_status begin_connecting(tc_group *group, tc_error *err)
{
    tc_ep *ep;
    for (uint32_t rank = 0; rank < group->size; rank++) {
        if (rank != group->rank)
            TC_TRY(tc_group_ep(group, rank, &ep, err));
    }
    return TC_OK;
}

/* Finds a missing member with an ended endpoint. Returns the error of that end, or NULL. */
static const tc_error *find_failure(const tc_group *group, is_missing missing,
                                    uint32_t *rank_out)
{
    for (uint32_t rank = 0; rank < group->size; rank++) {
        const tci_member *m = &group->members[rank];
        if (missing(group, rank) && m->ep == NULL && m->error != NULL) {
            *rank_out = rank;
            return m->error;
        }
    }
    return NULL;
}

tc_status tc_group_connect(tc_group *group, uint64_t timeout_ns, tc_error *err)
{
    tc_context *ctx = tc_group_context(group);
    tci_patience patience = tci_interrupt_patience(ctx, timeout_ns);
    char missing[160];
    uint32_t rank, count;
    if (tci_core_is_busy(group->core))
        return busy("tc_group_connect", "", err);
    TC_TRY(begin_connecting(group, err));
    ctx->idle_since_ns = 0;
    while ((count = name_missing(group, is_not_open, missing, sizeof missing)) > 0) {
        take_news(group);
        const tc_error *failure = find_failure(group, is_not_open, &rank);
        if (failure != NULL)
            return tci_error_set(err, failure->status, "group: rank %u (%.64s): %.400s", rank,
                                 tci_group_member_text(group, rank), failure->text);
        if (tci_wait_patient_turn(ctx, &patience, NULL) != TC_OK)
            return tci_error_set(err, TC_E_TIMEOUT,
                                 "group: %u of %u members did not answer %s: rank %s", count,
                                 group->size - 1, tci_patience_text(&patience), missing);
    }
    return TC_OK;
}

/* --- barrier ----------------------------------------------------------------------------- */

/* One barrier of this member: of the program, or of a function that may wait. */
typedef struct crossing {
    tc_group *group;
    tci_core *core;
    uint64_t id; /* of the group, which the program may destroy while a function waits */
    bool in_task;
    tci_task_turns turns;
    tci_patience patience;
} crossing;

static bool has_not_come(const tc_group *group, uint32_t rank)
{
    return rank != group->rank && group->members[rank].arrived < group->entered;
}

static bool is_there(const crossing *c)
{
    return tci_group_find(c->core, c->id) == c->group;
}

/* TC_E_TIMEOUT: its time is over, without a text. Others come in a task alone, with a text, and
 * the group may be gone. */
static tc_status turn(crossing *c, tc_error *err)
{
    if (!c->in_task)
        return tci_wait_patient_turn(tc_group_context(c->group), &c->patience, NULL);
    tc_status status = tci_task_turns_next(&c->turns);
    if (status == TC_OK && (!is_there(c) || c->group->ending))
        status = TC_E_CLOSED;
    return status == TC_OK || status == TC_E_TIMEOUT ? status
                                                     : tci_task_turns_fail(status, NULL, err);
}

static tc_status missed(const crossing *c, tc_error *err)
{
    char missing[160];
    (void)name_missing(c->group, has_not_come, missing, sizeof missing);
    return tci_error_set(err, TC_E_TIMEOUT,
                         "barrier: not all members came %s; missing: rank %s",
                         tci_patience_text(&c->patience), missing);
}

/* Goes over the members only when one of them was lost, not whenever one arrives. */
static tc_status await_all(crossing *c, tc_error *err)
{
    tc_group *group = c->group;
    uint64_t losses = group->losses - 1;
    while (group->missing > 0) {
        uint32_t rank;
        TCI_INVARIANT_IS(group_missing, group->missing, <, group->size);
        take_news(group);
        const tc_error *failure =
            losses != group->losses ? find_failure(group, has_not_come, &rank) : NULL;
        losses = group->losses;
        if (failure != NULL)
            return tci_error_set(err, TC_E_PEER_LOST, "barrier: rank %u: %.400s", rank,
                                 failure->text);
        tc_status status = turn(c, err);
        if (status == TC_E_TIMEOUT)
            return missed(c, err);
        TC_TRY(status);
    }
    return TC_OK;
}

static void release_all(tc_group *group)
{
    group->released = group->entered;
    for (uint32_t rank = 0; rank < group->size; rank++) {
        tc_ep *ep = group->members[rank].arrived_by;
        if (rank != group->rank && ep != NULL)
            tci_frame_out_control(ep, TCI_CONTROL_RELEASED, 0, &group->released,
                                  sizeof group->released);
    }
}

static tc_status lost_first(const tc_group *group, tc_error *err)
{
    const tc_error *why = group->members[0].error;
    return tci_error_set(err, why != NULL ? why->status : TC_E_PEER_LOST,
                         "barrier: rank 0, which all report to: %.400s",
                         why != NULL ? why->text : "gone");
}

/* Waits until the endpoint to rank 0 is open. */
static tc_status await_first(crossing *c, tc_ep **ep_out, tc_error *err)
{
    tc_group *group = c->group;
    tc_ep *ep;
    TC_TRY(tc_group_ep(group, 0, &ep, err));
    while (group->members[0].ep == ep && !tci_ep_is_open(ep)) {
        tc_status status = turn(c, err);
        if (status == TC_E_TIMEOUT)
            return tci_error_set(err, TC_E_TIMEOUT,
                                 "barrier: rank 0, which all report to, did not answer %s",
                                 tci_patience_text(&c->patience));
        TC_TRY(status);
    }
    *ep_out = ep;
    return group->members[0].ep == ep ? TC_OK : lost_first(group, err);
}

static tc_status report_and_wait(crossing *c, tc_error *err)
{
    tc_group *group = c->group;
    tc_ep *ep = NULL;
    TC_TRY(await_first(c, &ep, err));
    tci_frame_out_control(ep, TCI_CONTROL_ARRIVED, 0, &group->entered, sizeof group->entered);
    while (group->released < group->entered) {
        if (group->abandoned >= group->entered)
            return tci_error_set(err, group->abandoned_for.status, "%s",
                                 group->abandoned_for.text);
        if (group->members[0].ep != ep)
            return lost_first(group, err);
        tc_status status = turn(c, err);
        if (status == TC_E_TIMEOUT)
            return tci_error_set(err, TC_E_TIMEOUT,
                                 "barrier: not released %s by rank 0, which knows who is "
                                 "missing",
                                 tci_patience_text(&c->patience));
        TC_TRY(status);
    }
    return TC_OK;
}

static tc_status cross(crossing *c, tc_error *err)
{
    tc_group *group = c->group;
    tc_error why = {0};
    if (group->rank != 0) {
        group->entered++;
        return report_and_wait(c, err);
    }
    tci_member_enter_barrier(group);
    tc_status status = await_all(c, &why);
    if (status == TC_OK) {
        release_all(group);
        return TC_OK;
    }
    if (is_there(c))
        tci_member_abandon_barrier(group, &why);
    return tci_error_set(err, status, "%s", why.text);
}

tc_status tc_group_barrier(tc_group *group, uint64_t timeout_ns, tc_error *err)
{
    crossing c = {.group = group,
                  .core = group->core,
                  .id = group->id,
                  .in_task = tci_tasks_may_wait(group->core),
                  .turns = tci_task_turns_begin(group->core, NULL, timeout_ns),
                  .patience = tci_interrupt_patience(tc_group_context(group), timeout_ns)};
    if (tci_core_is_busy(group->core) && !c.in_task)
        return busy("tc_group_barrier", " that is not TC_THREADED", err);
    if (group->is_crossed)
        return tci_error_set(err, TC_E_BUSY, "barrier: this member waits in one already");
    tc_group_context(group)->idle_since_ns = 0;
    group->is_crossed = true;
    const tc_status status = cross(&c, err);
    if (is_there(&c))
        group->is_crossed = false;
    return status;
}
