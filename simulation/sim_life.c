/* The life of a world: it is made, runs its events in order, and ends. */
#include "sim_guard.h"
#include "sim_memory.h"
#include "sim_trace.h"
#include "sim_hooks.h"
#include "sim_unit.h"
#include "sim_world.h"

#include "base/error_text.h"

#define STACK_BYTES ((size_t)256 << 10)

static void set_default(uint64_t *value, uint64_t standard)
{
    if (*value == 0)
        *value = standard;
}

static void set_defaults(tc_sim_params *params)
{
    set_default(&params->delay_ns, 20000);
    set_default(&params->host_delay_ns, 2000);
    set_default(&params->jitter_ns, 5000);
    set_default(&params->bytes_per_us, 1000);
    set_default(&params->interrupt_ns, 100000);
    set_default(&params->connection_ns, 30000000000u);
    set_default(&params->real_wait_ns, 100000000u);
    set_default(&params->spin_ns, 10000000000u);
    if (params->window_bytes == 0)
        params->window_bytes = 65536;
    if (params->stack_bytes == 0)
        params->stack_bytes = STACK_BYTES;
}

bool tc_sim_has_ucx(void)
{
#ifdef TC_SIM_UCX
    return true;
#else
    return false;
#endif
}

tc_status tc_sim_world_create_sized(const tc_sim_params *params, size_t params_size,
                                    tc_sim_world **world_out, tc_error *err)
{
    if (params_size != sizeof *params)
        return tci_error_set(err, TC_E_INVALID, "tc_sim_params of %zu bytes, expected %zu",
                             params_size, sizeof *params);
    if (params->ucx && !tc_sim_has_ucx())
        return tci_error_set(err, TC_E_UNSUPPORTED, "simulation: a build without UCX");
    tc_sim_world *world = sim_memory_real_resize(NULL, sizeof *world);
    if (world == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "simulation: out of memory");
    *world = (tc_sim_world){.params = *params, .next_port = 30000, .next_segment = 1};
    set_defaults(&world->params);
    sim_random_seed(&world->random, params->seed);
    sim_trace_number(world, params->seed);
    sim_unit_prepare();
    *world_out = world;
    return TC_OK;
}

void tc_sim_world_destroy(tc_sim_world *world)
{
    sim_event event;
    if (world == NULL)
        return;
    sim_world_current = world;
    for (unsigned i = 0; i < world->node_count; i++)
        tc_sim_node_kill(world->nodes[i]);
    if (world->ucx_hooks != NULL)
        world->ucx_hooks->destroy(world);
    while (sim_queue_take(&world->queue, UINT64_MAX, &event))
        event.run(event.subject, event.argument); /* frees its memory: all nodes are gone */
    for (sim_fiber *fiber; (fiber = world->unused) != NULL;) {
        world->unused = fiber->next;
        sim_memory_real_resize(fiber, 0);
    }
    for (unsigned i = 0; i < world->node_count; i++)
        sim_memory_real_resize(world->nodes[i], 0);
    sim_memory_real_resize(world->nodes, 0);
    sim_world_current = NULL;
    sim_guard_stop(world);
    sim_queue_fini(&world->queue);
    sim_memory_real_resize(world->routes, 0);
    sim_memory_real_resize(world->ports, 0);
    sim_memory_real_resize(world->segments, 0);
    sim_memory_real_resize(world, 0);
}

tc_status tc_sim_run_until(tc_sim_world *world, uint64_t until_ns, tc_error *err)
{
    sim_event event;
    tc_sim_world *outer = sim_world_current;
    sim_guard_start(world);
    sim_world_current = world;
    while (world->error.status == TC_OK && sim_queue_take(&world->queue, until_ns, &event)) {
        world->now_ns = event.time_ns > world->now_ns ? event.time_ns : world->now_ns;
        world->events++;
        event.run(event.subject, event.argument);
        if (world->params.after_event != NULL)
            world->params.after_event(world->params.user);
    }
    sim_world_current = outer;
    if (world->error.status != TC_OK)
        return tci_error_set(err, world->error.status, "%s", world->error.text);
    if (world->queue.count == 0)
        return TC_OK;
    world->now_ns = until_ns > world->now_ns ? until_ns : world->now_ns;
    return TC_E_TIMEOUT;
}

uint64_t tc_sim_now_ns(const tc_sim_world *world)
{
    return world->running != NULL ? world->running->node->local_ns : world->now_ns;
}

void tc_sim_sleep(uint64_t ns)
{
    if (sim_world_running() != NULL)
        sim_world_sleep(ns);
}

uint64_t tc_sim_random(tc_sim_world *world)
{
    return sim_random_next(&world->random);
}

uint64_t tc_sim_events(const tc_sim_world *world)
{
    return world->events;
}

uint64_t tc_sim_hash(const tc_sim_world *world)
{
    return world->hash;
}

uint64_t tc_sim_failable(const tc_sim_world *world)
{
    return world->failable;
}
