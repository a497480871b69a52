/* Nodes: a life from main to its end, or to a kill. */
#include "sim_world.h"

#include "sim_descriptor.h"
#include "sim_memory.h"
#include "sim_segment.h"
#include "sim_trace.h"
#include "sim_hooks.h"

#include "base/error_text.h"

#include <stdio.h>

/* Frees all that a node has, as the system does when a process ends. */
static void clear_node(tc_sim_node *node)
{
    while (node->fibers != NULL) {
        sim_fiber *fiber = node->fibers;
        sim_world_forget_waits(fiber);
        sim_world_free_fiber(fiber);
    }
    if (node->world->ucx_hooks != NULL)
        node->world->ucx_hooks->forget(node);
    sim_descriptor_close_all(node);
    sim_segment_detach_all(node);
    if (node->free_stacks != NULL)
        node->free_stacks(node);
    sim_memory_free_all(node);
}

static void ended(void *subject, uint64_t argument)
{
    tc_sim_node *node = subject;
    if (node->life == argument && node->finished && !node->dead) {
        sim_trace_event(node->world, SIM_TRACE_ENDS, node->number, node->memory);
        node->dead = true;
        node->left_memory = node->memory;
        node->left_open = node->opened;
        clear_node(node);
    }
}

static void *run_main(void *argument)
{
    tc_sim_node *node = argument;
    node->main(node, node->argument);
    node->finished = true;
    sim_world_after(node->world, 0, ended, node, node->life);
    return NULL;
}

static tc_status start_node(tc_sim_node *node, tc_error *err)
{
    node->dead = node->finished = false;
    node->reads = 0;
    node->life++;
    node->paused_until_ns = 0;
    sim_trace_event(node->world, SIM_TRACE_BEGINS, node->number, node->host);
    return sim_world_spawn(node, run_main, node, node->world->params.stack_bytes) != NULL
               ? TC_OK
               : tci_error_set(err, TC_E_NO_MEMORY, "simulation: out of memory");
}

static bool has_place(tc_sim_world *world)
{
    const unsigned capacity = world->node_capacity == 0 ? 16 : 2 * world->node_capacity;
    if (world->node_count < world->node_capacity)
        return true;
    tc_sim_node **nodes = sim_memory_real_resize(world->nodes, capacity * sizeof *nodes);
    if (nodes == NULL)
        return false;
    world->nodes = nodes;
    world->node_capacity = capacity;
    return true;
}

tc_status tc_sim_node_create(tc_sim_world *world, unsigned host,
                             void (*main)(tc_sim_node *node, void *argument), void *argument,
                             tc_sim_node **node_out, tc_error *err)
{
    tc_sim_node *node = has_place(world) ? sim_memory_real_resize(NULL, sizeof *node) : NULL;
    if (node == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "simulation: out of memory");
    *node = (tc_sim_node){.world = world,
                          .number = world->node_count,
                          .host = host,
                          .main = main,
                          .argument = argument,
                          .local_ns = world->now_ns};
    sim_random_seed(&node->random, sim_random_next(&world->random));
    tc_status status = start_node(node, err);
    if (status != TC_OK) {
        sim_memory_real_resize(node, 0);
        return status;
    }
    world->nodes[world->node_count++] = node;
    *node_out = node;
    return TC_OK;
}

tc_status tc_sim_node_restart(tc_sim_node *node, tc_error *err)
{
    if (node->dead)
        return start_node(node, err);
    return tci_error_set(err, TC_E_BUSY, "node %u runs", node->number);
}

void tc_sim_node_kill(tc_sim_node *node)
{
    if (node->dead || sim_world_node() == node)
        return;
    tc_sim_world *outer = sim_world_current;
    sim_world_current = node->world;
    sim_trace_event(node->world, SIM_TRACE_KILLED, node->number, 0);
    node->dead = true;
    clear_node(node);
    sim_world_current = outer;
}

void tc_sim_node_pause(tc_sim_node *node, uint64_t ns)
{
    sim_trace_event(node->world, SIM_TRACE_PAUSED, node->number, ns);
    node->paused_until_ns = tc_sim_now_ns(node->world) + ns;
}

bool tc_sim_node_is_running(const tc_sim_node *node)
{
    return !node->dead && !node->finished;
}

const char *tc_sim_address(const tc_sim_node *node, uint16_t port,
                           char text[TC_SIM_ADDRESS_BYTES])
{
    (void)snprintf(text, TC_SIM_ADDRESS_BYTES, "10.%u.%u.%u:%u", (node->host >> 16) & 0xff,
                   (node->host >> 8) & 0xff, node->host & 0xff, port);
    return text;
}

tc_sim_node *tc_sim_self(void)
{
    return sim_world_node();
}

tc_sim_world *tc_sim_node_world(const tc_sim_node *node)
{
    return node->world;
}

void *tc_sim_node_argument(const tc_sim_node *node)
{
    return node->argument;
}

size_t tc_sim_node_memory(const tc_sim_node *node, unsigned *descriptors_out)
{
    if (descriptors_out != NULL)
        *descriptors_out = node->finished ? node->left_open : node->opened;
    return node->finished ? node->left_memory : node->memory;
}
