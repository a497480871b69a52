/* A hash table of the ports that are taken. Several sockets may have one, as those of killed
 * nodes keep theirs for a while. */
#include "sim_port.h"

#include "sim_memory.h"

#define CAPACITY_FIRST 64u

static sim_port **bucket_of(const tc_sim_world *world, unsigned host, uint16_t number)
{
    const uint64_t key = (uint64_t)host << 16 | number;
    return &world->ports[(key * 0x9e3779b97f4a7c15u >> 32) & (world->port_capacity - 1)];
}

static void put(const tc_sim_world *world, sim_port *port)
{
    sim_port **bucket = bucket_of(world, port->node->host, port->number);
    port->next = *bucket;
    *bucket = port;
}

static bool grow(tc_sim_world *world)
{
    const size_t count = world->port_capacity;
    const size_t capacity = count == 0 ? CAPACITY_FIRST : 2 * count;
    sim_port **old = world->ports, **ports = sim_memory_real_clear(capacity * sizeof *ports);
    if (ports == NULL)
        return false;
    world->ports = ports;
    world->port_capacity = capacity;
    for (size_t i = 0; i < count; i++) {
        for (sim_port *port = old[i], *next; port != NULL; port = next) {
            next = port->next;
            put(world, port);
        }
    }
    sim_memory_real_resize(old, 0);
    return true;
}

bool sim_port_take(sim_port *port, tc_sim_node *node, uint16_t number)
{
    tc_sim_world *world = node->world;
    if (world->port_count == world->port_capacity && !grow(world))
        return false;
    port->node = node;
    port->number = number;
    put(world, port);
    world->port_count++;
    return true;
}

void sim_port_release(sim_port *port)
{
    if (port->node == NULL)
        return;
    tc_sim_world *world = port->node->world;
    sim_port **link = bucket_of(world, port->node->host, port->number);
    while (*link != port)
        link = &(*link)->next;
    *link = port->next;
    port->node = NULL;
    world->port_count--;
}

static sim_port *first_match(sim_port *port, unsigned host, uint16_t number)
{
    while (port != NULL && (port->node->host != host || port->number != number))
        port = port->next;
    return port;
}

sim_port *sim_port_find(const tc_sim_world *world, unsigned host, uint16_t number)
{
    return world->port_capacity > 0 ? first_match(*bucket_of(world, host, number), host, number)
                                    : NULL;
}

sim_port *sim_port_next(const sim_port *port)
{
    return first_match(port->next, port->node->host, port->number);
}
