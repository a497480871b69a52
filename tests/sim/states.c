/* States as 64-bit keys in a table. It is looked at from outside of the nodes, between two
 * events, so no node changes anything meanwhile. */
#include "states.h"

#include "traffic_node.h"

#include "context/context_object.h"
#include "core/doorbell.h"
#include "core/ep.h"
#include "transfer/staging.h"

#include <stdio.h>
#include <stdlib.h>

#define TABLE_SLOTS (1u << 16)
#define MODEL_SHIFT 56

static uint64_t table[TABLE_SLOTS]; /* keys; 0: unused */
static size_t counts[STATES_MODEL_COUNT];

const char *states_model_name(states_model model)
{
    static const char *const names[] = {
#define STATES_NAME(name, file) #name,
        STATES_MODELS(STATES_NAME)
#undef STATES_NAME
    };
    return names[model];
}

size_t states_count(states_model model)
{
    return counts[model];
}

size_t states_total(void)
{
    size_t total = 0;
    for (unsigned i = 0; i < STATES_MODEL_COUNT; i++)
        total += counts[i];
    return total;
}

static void reach(states_model model, uint64_t state)
{
    const uint64_t key = (uint64_t)(model + 1) << MODEL_SHIFT | state;
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 48) % TABLE_SLOTS;
    for (unsigned i = 0; i < TABLE_SLOTS; i++, at = (at + 1) % TABLE_SLOTS) {
        if (table[at] == key)
            return;
        if (table[at] == 0) {
            table[at] = key;
            counts[model]++;
            return;
        }
    }
    fprintf(stderr, "sim-explore: more than %u states\n", TABLE_SLOTS);
    abort();
}

/* --- the models' variables --------------------------------------------------------------- */

/* Puts a number behind others. */
static uint64_t with(uint64_t state, uint64_t number, uint64_t most)
{
    return state * (most + 1) + (number < most ? number : most);
}

/* Returns a class of a number of bytes: none, one granule, two, few, many. */
static uint64_t granules(uint64_t bytes)
{
    const uint64_t count = bytes / TCI_FRAME_GRANULE;
    return count < 3 ? count : count < 16 ? 3 : 4;
}

static void look_at_ring(const tc_ep *ep)
{
    const tci_producer *p = &ep->tx.ring;
    const uint64_t used = p->tail - p->consumed_seen, size = p->mask + 1;
    uint64_t state = with(0, granules(p->limit > p->tail ? p->limit - p->tail : 0), 4);
    state = with(state, granules(size - (p->tail & p->mask)), 4); /* to the end of the lap */
    state = with(state, granules(used), 4);
    state = with(state, p->broken, 1);
    state = with(state, ep->tx.queue != NULL, 1);
    state = with(state, ep->tx.large != NULL, 1);
    state = with(state, ep->tx.flush_target != 0, 1);
    state = with(state, ep->rx.held + 2u * ep->rx.paused + 4u * ep->rx.loading, 7);
    state = with(state, ep->rx.credit.due + 2u * ep->rx.credit.again, 3);
    reach(STATES_ring, with(state, ep->rx.ring.published < ep->rx.ring.head, 1));
}

static void look_at_doorbell(const tc_ep *ep)
{
    const uint64_t bells = TCI_DOORBELL_STEP - 1;
    const uint64_t theirs = tci_ring_load_doorbell(ep->tx.doorbell);
    uint64_t state = with(0, ep->wake.doorbell & bells, bells);
    state = with(state, theirs & bells, bells);
    state = with(state, theirs != ep->tx.doorbell_seen, 1);
    state = with(state, ep->wake.awaited != 0, 1);
    state = with(state, ep->tx.wakeup != NULL, 1);
    reach(STATES_doorbell, with(state, !tci_producer_drained(&ep->tx.ring), 1));
}

static void look_at_staging(const tc_ep *ep)
{
    uint64_t state = with(0, ep->tx.staging != NULL, 1);
    state = with(state, ep->tx.staging != NULL && tci_staging_awaited(ep) != UINT64_MAX, 1);
    state = with(state, ep->rx.staged.base != NULL, 1);
    state = with(state, ep->rx.assembly.total != 0, 1);
    state = with(state, ep->rx.incoming.wanted, 1);
    reach(STATES_staging, with(state, ep->tx.large != NULL, 1));
}

static void look_at_context(const tci_core *core)
{
    const tci_pending *p = &core->pending;
    uint64_t state = with(0, tci_pending_causes(p), TCI_CHECKED - 1);
    state = with(state, p->credit_blocked + 2u * p->space_wanted, 3);
    reach(STATES_pending, with(state, p->activity + 2u * p->event, 3));
    for (const tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (!tci_ep_is_open(ep) || ep->tx.ring.ring == NULL)
            continue;
        look_at_ring(ep);
        look_at_doorbell(ep);
        look_at_staging(ep);
    }
}

void states_look(const traffic *all, const traffic_node *nodes)
{
    for (unsigned i = 0; i < all->plan->nodes; i++) {
        const node *n = nodes[i].program;
        if (n != NULL && tc_sim_node_is_running(all->nodes[i]) && n->ctx != NULL && !n->ends)
            look_at_context(&n->ctx->core);
    }
}
