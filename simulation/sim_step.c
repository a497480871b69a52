/* The scheduler of steps, and the buffer of delayed stores. sim_step_calls.c has the functions
 * that compiled code calls.
 *
 * One counter runs down at every step, of whichever fiber. At zero the running fiber is
 * stopped, unless it holds a lock that all nodes share, and the counter is drawn again. A step
 * costs no more than that, as most of the run is steps. */
#include "sim_step.h"

#include "sim_step_calls.h"
#include "sim_trace.h"

#include <string.h>

#define DELAYED_MAX 32u
#define DELAY_STEPS 100u /* that a store stays in the buffer, at most */
#define DRAINS_OF 4u     /* one of so many delays ends with a stop */
#define VICTIM_STEPS 3000u
#define SHORTEST_NS 64u
/* Segments have addresses of their own, so that a run does not depend on those that the system
 * chooses. */
#define SEGMENTS_AT ((uintptr_t)0x200000000000)
#define SEGMENT_SHIFT 26
#define SEGMENTS_MAX ((uint32_t)1 << 18)

typedef struct delayed {
    const sim_fiber *fiber;
    void *at;
    uint64_t value;
    unsigned bytes;
} delayed;

uint64_t sim_step_left = UINT64_MAX;

static struct {
    tc_sim_world *world; /* NULL: no fiber is stopped */
    sim_step_params params;
    sim_random random;
    uint64_t stops, delays;
    bool drains; /* the counter runs down to the end of a delay */
    /* sim_step_stop_at */
    tc_sim_node *victim;
    unsigned victim_life;
    void (*run)(void *user);
    void *user;
    /* In the order of the stores. */
    delayed stores[DELAYED_MAX];
    unsigned stored;
} steps;

/* --- delayed stores ---------------------------------------------------------------------- */

static void store(void *at, uint64_t value, unsigned bytes)
{
    switch (bytes) {
    case 1:
        __atomic_store_n((uint8_t *)at, (uint8_t)value, __ATOMIC_SEQ_CST);
        break;
    case 2:
        __atomic_store_n((uint16_t *)at, (uint16_t)value, __ATOMIC_SEQ_CST);
        break;
    case 4:
        __atomic_store_n((uint32_t *)at, (uint32_t)value, __ATOMIC_SEQ_CST);
        break;
    default:
        __atomic_store_n((uint64_t *)at, value, __ATOMIC_SEQ_CST);
    }
}

/* NULL: of all fibers. */
void sim_step_flush(const sim_fiber *fiber)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < steps.stored; i++) {
        const delayed *d = &steps.stores[i];
        if (fiber == NULL || d->fiber == fiber)
            store(d->at, d->value, d->bytes);
        else
            steps.stores[kept++] = *d;
    }
    steps.stored = kept;
}

void sim_step_flush_all(void)
{
    sim_step_flush(NULL);
}

static bool has_delayed(const sim_fiber *fiber)
{
    for (unsigned i = 0; i < steps.stored; i++) {
        if (steps.stores[i].fiber == fiber)
            return true;
    }
    return false;
}

static const delayed *find(const sim_fiber *fiber, const void *at)
{
    for (unsigned i = steps.stored; i > 0; i--) {
        if (steps.stores[i - 1].fiber == fiber && steps.stores[i - 1].at == at)
            return &steps.stores[i - 1];
    }
    return NULL;
}

/* A store must stay behind others in the buffer if it is a release, or one to the same address;
 * others may overtake them. */
static bool is_delayed(const sim_fiber *fiber, const void *at, int order)
{
    if (has_delayed(fiber) && (order == __ATOMIC_RELEASE || find(fiber, at) != NULL ||
                               sim_random_below(&steps.random, 2) == 0))
        return true;
    return sim_random_happens(&steps.random, steps.params.delayed_per_million);
}

bool sim_step_delay(void *at, uint64_t value, unsigned bytes, int order)
{
    const sim_fiber *fiber = sim_world_running();
    if (fiber == NULL || steps.world == NULL || steps.params.delayed_per_million == 0)
        return false;
    if (order == __ATOMIC_SEQ_CST || steps.stored == DELAYED_MAX) {
        sim_step_flush(fiber);
        return false;
    }
    if (!is_delayed(fiber, at, order))
        return false;
    steps.stores[steps.stored++] = (delayed){fiber, at, value, bytes};
    steps.delays++;
    const uint64_t left = 1 + sim_random_below(&steps.random, DELAY_STEPS);
    if (left < sim_step_left) {
        sim_step_left = left;
        steps.drains = true;
    }
    return true;
}

bool sim_step_forward(const void *at, uint64_t *value_out)
{
    const delayed *d = steps.stored > 0 ? find(sim_world_running(), at) : NULL;
    if (d != NULL)
        *value_out = d->value;
    return d != NULL;
}

void sim_step_barrier(void)
{
    if (steps.stored > 0)
        sim_step_flush(sim_world_running());
}

/* --- stops ------------------------------------------------------------------------------- */

/* Each power of two is as likely as another. */
static uint64_t draw_ns(void)
{
    unsigned powers = 0;
    while (SHORTEST_NS << powers < steps.params.longest_ns)
        powers++;
    const uint64_t most = (uint64_t)SHORTEST_NS << sim_random_below(&steps.random, powers + 1);
    return most / 2 + sim_random_below(&steps.random, most);
}

static void draw_next(void)
{
    const uint64_t limit = steps.victim != NULL ? VICTIM_STEPS : 2 * steps.params.mean;
    sim_step_left = 1 + sim_random_below(&steps.random, limit);
}

/* The node stands at the step meanwhile. Its delayed stores are those of a processor, which a
 * kill does not take back. */
static void run_stop(void *subject, uint64_t life)
{
    tc_sim_node *node = subject;
    if (node->life != life || node->dead || steps.world != node->world)
        return;
    sim_step_flush(NULL);
    steps.run(steps.user);
}

/* Lets others run. Half of the time the fiber's stores stay in its buffer. */
static void stop(sim_fiber *fiber, uint64_t ns)
{
    const uint32_t reads = fiber->node->reads;
    steps.stops++;
    if (sim_random_below(&steps.random, 2) == 0)
        sim_step_flush(fiber);
    fiber->keeps_stores = true;
    sim_world_sleep(ns);
    fiber->keeps_stores = false;
    sim_step_flush(fiber);
    fiber->node->reads = reads; /* it did not wait */
}

static bool may_stop(const sim_fiber *fiber)
{
    return fiber != NULL && fiber->node->world == steps.world && fiber->locks == 0;
}

void sim_step_due(void)
{
    sim_fiber *fiber = sim_world_running();
    if (steps.world == NULL) {
        sim_step_left = UINT64_MAX;
        return;
    }
    const bool drains = steps.drains;
    steps.drains = false;
    draw_next();
    if (!may_stop(fiber))
        return;
    if (drains && sim_random_below(&steps.random, DRAINS_OF) != 0) {
        sim_step_flush(fiber);
    } else if (steps.victim == NULL) {
        stop(fiber, draw_ns());
    } else if (steps.victim == fiber->node) {
        steps.victim = NULL;
        draw_next();
        sim_world_after(steps.world, 0, run_stop, fiber->node, fiber->node->life);
        stop(fiber, 1);
    }
}

void sim_step_on_shared(void)
{
    sim_fiber *fiber = sim_world_running();
    if (may_stop(fiber) && sim_random_happens(&steps.random, steps.params.dense_per_million))
        stop(fiber, draw_ns());
}

void sim_step_note_wait(const sim_fiber *fiber)
{
    if (!fiber->keeps_stores)
        sim_step_flush(fiber);
}

void sim_step_note_lock(const void *lock, bool taken)
{
    extern char __data_start[], _end[];
    sim_fiber *fiber = sim_world_running();
    if (fiber == NULL)
        return;
    sim_step_flush(fiber);
    if ((const char *)lock >= __data_start && (const char *)lock < _end)
        fiber->locks += taken ? 1u : -1u;
}

/* --- the world --------------------------------------------------------------------------- */

void sim_step_begin(tc_sim_world *world, const sim_step_params *params)
{
    memset(&steps, 0, sizeof steps);
    steps.world = world;
    steps.params = *params;
    sim_random_seed(&steps.random, params->seed ^ 0x7374657073);
    draw_next();
}

void sim_step_end(void)
{
    sim_step_flush_all();
    steps.world = NULL;
    sim_step_left = UINT64_MAX;
}

void sim_step_stop_at(tc_sim_node *node, void (*run)(void *user), void *user)
{
    if (steps.world != node->world)
        return;
    steps.victim = node;
    steps.run = run;
    steps.user = user;
    draw_next();
}

uint64_t sim_step_stops(uint64_t *delayed_out)
{
    *delayed_out = steps.delays;
    return steps.stops;
}

bool sim_step_is_shared(const void *at)
{
    return (uintptr_t)at - SEGMENTS_AT < (uintptr_t)SEGMENTS_MAX << SEGMENT_SHIFT;
}

void *sim_step_address(uint32_t id, size_t bytes)
{
    if (id >= SEGMENTS_MAX || bytes > (size_t)1 << SEGMENT_SHIFT)
        sim_world_stop(sim_world_current, TC_E_INVALID,
                       "steps: segment %u of %zu bytes is too many or too large", id, bytes);
    const uintptr_t at = SEGMENTS_AT + ((uintptr_t)id << SEGMENT_SHIFT);
    return (void *)at; // NOLINT: an address of no object yet
}
