/* A node's program: opens its context, connects, and begins the phases that waves order. */
#include "scale_node.h"

#include <tc/advanced.h>

#include <stdio.h>
#include <stdlib.h>

#define RETRY_NS (2 * SCALE_MS)

void scale_note(scale *all, scale_event event)
{
    all->counts[event].count++;
    all->counts[event].last_ns = tc_sim_now_ns(all->world);
}

void scale_fail(scale *all, unsigned number, const char *what, const tc_error *error)
{
    if (all->error[0] == '\0')
        (void)snprintf(all->error, sizeof all->error, "node %u: %s: %s: %.160s", number, what,
                       tc_status_name(error->status), error->text);
}

bool scale_is_doomed(const scale *all, unsigned number)
{
    return scale_rack(all->plan, number) == all->doomed;
}

bool scale_expect(scale_node *n, tc_status status, const tc_error *error, const char *what)
{
    if (status != TC_OK)
        scale_fail(n->all, n->number, what, error);
    return status == TC_OK;
}

/* --- neighbours -------------------------------------------------------------------------- */

void scale_add_neighbour(scale_node *n, tc_ep *ep, unsigned number)
{
    const unsigned degree = scale_degree(n->all->plan, n->number);
    const tc_error error = {TC_E_INVALID, "it has more neighbours than the pattern gives it"};
    if (n->count == degree) {
        scale_fail(n->all, n->number, "greet", &error);
        return;
    }
    scale_neighbour *added = &n->neighbours[n->count++];
    *added = (scale_neighbour){.ep = ep, .number = number};
    added->is_child = number != 0 && scale_parent(n->all->plan, number) == n->number;
    n->children += added->is_child;
    tc_ep_set_user(ep, added);
    if (n->count == degree)
        scale_note(n->all, SCALE_DONE);
}

void scale_send(scale_node *n, scale_neighbour *to, scale_kind kind, uint32_t value)
{
    const scale_function function = kind <= SCALE_ORDER ? SCALE_FN_greet : SCALE_FN_work;
    const scale_message message = {kind, value};
    tc_error error = {0};
    if (to->has_ended || !scale_open(n, function))
        return;
    tc_status status = tc_send(to->ep, n->functions[function], &message, sizeof message);
    if (status == TC_OK || (n->all->stage == SCALE_STAGE_death && status != TC_E_AGAIN))
        return;
    (void)tc_send_error(n->ctx, &error);
    error.status = status;
    scale_fail(n->all, n->number, "send", &error);
}

void scale_send_children(scale_node *n, scale_kind kind, uint32_t value)
{
    for (unsigned i = 0; i < n->count; i++) {
        if (n->neighbours[i].is_child)
            scale_send(n, &n->neighbours[i], kind, value);
    }
}

static void on_event(void *user, tc_ep *ep, tc_ep_event event)
{
    scale_node *n = user;
    scale_neighbour *neighbour = tc_ep_user(ep);
    tc_error error = {TC_E_PEER_LOST, ""};
    if (event == TC_EP_OPENED || neighbour == NULL)
        return;
    neighbour->has_ended = true;
    if (n->all->stage == SCALE_STAGE_death && scale_is_doomed(n->all, neighbour->number)) {
        n->has_lost = true;
        scale_note(n->all, SCALE_ENDS);
        return;
    }
    (void)tc_ep_error(ep, &error);
    scale_fail(n->all, n->number, "an endpoint ended", &error);
}

/* --- the start --------------------------------------------------------------------------- */

bool scale_open(scale_node *n, scale_function function)
{
    tc_error error;
    const tc_code code = scale_code(function);
    if (n->functions[function] != NULL)
        return true;
    return scale_expect(n, tc_ifunc_open_code(n->ctx, &code, &n->functions[function], &error),
                        &error, "open");
}

static bool set(scale_node *n, tc_options *options, const char *name, const char *value)
{
    tc_error error;
    return scale_expect(n, tc_options_set(options, name, value, &error), &error, name);
}

static bool open_context(scale_node *n)
{
    tc_options *options;
    tc_error error;
    char ring[16];
    if (!scale_expect(n, tc_options_create(&options, &error), &error, "options"))
        return false;
    (void)snprintf(ring, sizeof ring, "%uK", n->all->plan->ring_kb);
    const bool is_set =
        set(n, options, "listen_any", "yes") && set(n, options, "wait", "block") &&
        set(n, options, "ring_bytes", ring) && set(n, options, "connect_timeout", "1h") &&
        set(n, options, "send_queue_bytes", "64M");
    tc_status status = is_set ? tc_context_create(options, &n->ctx, &error) : TC_E_INVALID;
    tc_options_destroy(options);
    if (!is_set || !scale_expect(n, status, &error, "context"))
        return false;
    tc_context_set_target_args(n->ctx, n);
    tc_context_set_ep_callback(n->ctx, on_event, n);
    return true;
}

static bool listen_there(scale_node *n)
{
    tc_error error;
    char address[TC_SIM_ADDRESS_BYTES];
    const uint16_t port = (uint16_t)(SCALE_PORT + n->number % n->all->plan->per_host);
    tc_status status =
        tc_listener_open(n->ctx, tc_sim_address(tc_sim_self(), port, address), NULL, &error);
    return scale_expect(n, status, &error, "listener");
}

/* Tries again while the target does not listen yet, or its queue of new connections is
 * full. */
static bool connect_to(scale_node *n, unsigned number)
{
    const scale_plan *p = n->all->plan;
    char address[TC_SIM_ADDRESS_BYTES];
    tc_ep *ep;
    tc_error error;
    tc_status status;
    (void)tc_sim_address(n->all->nodes[number], (uint16_t)(SCALE_PORT + number % p->per_host),
                         address);
    while ((status = tc_ep_connect(n->ctx, address, 0, &ep, &error)) == TC_E_UNREACHABLE)
        (void)tc_wait(n->ctx, RETRY_NS);
    if (!scale_expect(n, status, &error, "connect"))
        return false;
    scale_add_neighbour(n, ep, number);
    scale_send(n, tc_ep_user(ep), SCALE_GREET, n->number);
    return true;
}

static bool connect_all(scale_node *n)
{
    const unsigned targets = scale_targets(n->all->plan, n->number);
    for (unsigned i = 0; i < targets; i++) {
        if (!connect_to(n, scale_target(n->all->plan, n->number, i)))
            return false;
    }
    return true;
}

/* --- orders ------------------------------------------------------------------------------ */

/* Sends the code to all children, then waits until all have it ready. */
static void prepare_children(scale_node *n)
{
    tc_error error;
    if (n->children == 0 || !scale_open(n, SCALE_FN_work))
        return;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < n->count; i++) {
            if (!n->neighbours[i].is_child)
                continue;
            tc_status status = tc_ep_prepare(n->neighbours[i].ep, n->functions[SCALE_FN_work],
                                             pass == 0 ? 0 : SCALE_LONG_NS, &error);
            if (!scale_expect(n, status, &error, "prepare"))
                return;
            if (pass == 0)
                continue;
            scale_note(n->all, SCALE_DONE);
            scale_send(n, &n->neighbours[i], SCALE_ORDER, SCALE_STAGE_prepare);
        }
    }
}

static void on_call_ended(void *user, const tc_call_outcome *outcome)
{
    scale_node *n = user;
    tc_error error = {outcome->status, "a call to a node that has died"};
    scale_note(n->all, SCALE_CALLS);
    if (outcome->status != TC_E_PEER_LOST)
        scale_fail(n->all, n->number, "call", &error);
}

/* Starts a call at each neighbour that is about to die. */
static void arm(scale_node *n)
{
    const tc_call_params params = {
        .timeout_ns = SCALE_LONG_NS, .done = on_call_ended, .user = n};
    const scale_message message = {SCALE_HOLD, 0};
    tc_error error;
    scale_send_children(n, SCALE_ORDER, SCALE_STAGE_arm);
    for (unsigned i = 0; i < n->count && !scale_is_doomed(n->all, n->number); i++) {
        const scale_neighbour *to = &n->neighbours[i];
        if (!scale_is_doomed(n->all, to->number))
            continue;
        if (!scale_open(n, SCALE_FN_work))
            return;
        tc_status status = tc_call_start(to->ep, n->functions[SCALE_FN_work], &message,
                                         sizeof message, &params, NULL, &error);
        if (scale_expect(n, status, &error, "call"))
            scale_note(n->all, SCALE_DONE);
    }
}

static void obey(scale_node *n)
{
    const uint32_t orders = n->orders;
    n->orders = 0;
    if ((orders & 1u << SCALE_STAGE_prepare) != 0)
        prepare_children(n);
    if ((orders & 1u << SCALE_STAGE_arm) != 0)
        arm(n);
    if (n->has_lost)
        scale_learn(n);
}

/* Node 0 begins each phase when the command has reached it. */
static void lead(scale_node *n, scale_stage *begun)
{
    if (*begun == n->all->stage)
        return;
    *begun = n->all->stage;
    n->all->begun_ns = tc_sim_now_ns(n->all->world);
    if (*begun == SCALE_STAGE_barrier)
        scale_release(n, 0);
    else if (*begun == SCALE_STAGE_chase)
        scale_chase(n, n->all->plan->hops);
    else
        n->orders |= 1u << *begun;
}

static void serve(scale_node *n)
{
    scale_stage begun = SCALE_STAGE_start;
    while (n->all->error[0] == '\0') {
        if (n->number == 0 && n->all->stage != SCALE_STAGE_death)
            lead(n, &begun);
        obey(n);
        (void)tc_wait(n->ctx, n->number == 0 ? SCALE_MS : SCALE_LONG_NS);
    }
}

void scale_main(tc_sim_node *self, void *argument)
{
    const scale_start *start = argument;
    scale_node *n = calloc(1, sizeof *n);
    (void)self;
    if (n == NULL)
        return;
    n->all = start->all;
    n->number = start->number;
    n->neighbours = calloc(scale_degree(n->all->plan, n->number), sizeof *n->neighbours);
    if (n->neighbours != NULL && open_context(n) && listen_there(n)) {
        n->all->programs[n->number] = n;
        if (n->all->plan->pattern == SCALE_GROUP)
            scale_group_main(n);
        else if (connect_all(n))
            serve(n);
    }
}
