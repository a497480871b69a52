/* The program of a group's member. Members connect to rank 0 by their first barrier. */
#include "scale_node.h"

static bool enter(scale_node *n)
{
    tc_error error;
    return scale_expect(n, tc_group_barrier(n->group, SCALE_LONG_NS, &error), &error,
                        "barrier");
}

/* Rank 0 sends the code to all, then waits until all have it ready. */
static bool prepare_all(scale_node *n)
{
    tc_error error;
    tc_ep *ep;
    if (!scale_open(n, SCALE_FN_work))
        return false;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t rank = 1; rank < n->all->plan->nodes; rank++) {
            if (!scale_expect(n, tc_group_ep(n->group, rank, &ep, &error), &error, "endpoint"))
                return false;
            tc_status status = tc_ep_prepare(ep, n->functions[SCALE_FN_work],
                                             pass == 0 ? 0 : SCALE_LONG_NS, &error);
            if (!scale_expect(n, status, &error, "prepare"))
                return false;
            if (pass == 1)
                scale_note(n->all, SCALE_DONE);
        }
    }
    return true;
}

static bool chase(scale_node *n)
{
    const scale_message message = {SCALE_CHASE, n->all->plan->hops};
    const uint32_t to = (uint32_t)(tc_sim_random(n->all->world) % n->all->plan->nodes);
    if (!scale_open(n, SCALE_FN_work))
        return false;
    tc_error error = {
        tc_group_send(n->group, to, n->functions[SCALE_FN_work], &message, sizeof message),
        "a message that travels"};
    return scale_expect(n, error.status, &error, "send");
}

static void await_stage(scale_node *n, scale_stage stage)
{
    while (n->all->stage != stage && n->all->error[0] == '\0')
        (void)tc_wait(n->ctx, SCALE_MS);
    n->all->begun_ns = tc_sim_now_ns(n->all->world);
}

static bool take_part(scale_node *n)
{
    if (!enter(n))
        return false;
    scale_note(n->all, SCALE_DONE);
    if (n->number == 0) {
        await_stage(n, SCALE_STAGE_prepare);
        if (!prepare_all(n))
            return false;
        await_stage(n, SCALE_STAGE_barrier);
    }
    for (unsigned i = 0; i <= n->all->plan->rounds; i++) {
        if (!enter(n))
            return false;
        if (n->number == 0)
            n->all->passed_ns[i] = tc_sim_now_ns(n->all->world);
    }
    scale_note(n->all, SCALE_DONE);
    if (n->number == 0) {
        await_stage(n, SCALE_STAGE_chase);
        if (!chase(n))
            return false;
        await_stage(n, SCALE_STAGE_arm);
    }
    return enter(n);
}

/* The survivors wait for the others in a barrier. */
static void survive(scale_node *n)
{
    tc_error error;
    scale_note(n->all, SCALE_DONE);
    tc_status status = tc_group_barrier(n->group, SCALE_LONG_NS, &error);
    scale_note(n->all, SCALE_KNOWS);
    if (status != TC_E_PEER_LOST)
        scale_fail(n->all, n->number, "the last barrier", &error);
}

void scale_group_main(scale_node *n)
{
    const tc_group_params params = {
        .id = 1, .rank = n->number, .size = n->all->plan->nodes, .members = n->all->members};
    tc_error error;
    tc_status status = tc_group_create(n->ctx, &params, &n->group, &error);
    if (scale_expect(n, status, &error, "group") && take_part(n) &&
        !scale_is_doomed(n->all, n->number))
        survive(n);
    while (n->all->error[0] == '\0')
        (void)tc_wait(n->ctx, SCALE_LONG_NS);
}
