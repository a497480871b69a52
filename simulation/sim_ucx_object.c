/* The numbers of a world's workers, endpoints and memories, and the ends of their nodes. */
#include "sim_memory.h"
#include "sim_ucx.h"

#include <stdlib.h>

#define CAPACITY_FIRST 64u

void *sim_ucx_allocate(size_t size)
{
    return calloc(1, size); /* of the node, as in the library's objects */
}

bool sim_ucx_add(sim_ucx_object *object, sim_ucx_kind kind)
{
    tc_sim_node *node = sim_world_node();
    sim_ucx *ucx = node->world->ucx;
    if (ucx->count == ucx->capacity) {
        const size_t capacity = ucx->capacity == 0 ? CAPACITY_FIRST : 2 * ucx->capacity;
        sim_ucx_object **objects =
            sim_memory_real_resize(ucx->objects, capacity * sizeof(sim_ucx_object *));
        if (objects == NULL)
            return false;
        ucx->objects = objects;
        ucx->capacity = capacity;
    }
    ucx->objects[ucx->count++] = object;
    *object = (sim_ucx_object){.number = ucx->count, .kind = kind, .node = node};
    return true;
}

void sim_ucx_remove(sim_ucx_object *object)
{
    if (object->number != 0)
        object->node->world->ucx->objects[object->number - 1] = NULL;
    object->number = 0;
}

static sim_ucx_object *find(const tc_sim_world *world, uint64_t number, sim_ucx_kind kind)
{
    const sim_ucx *ucx = world->ucx;
    sim_ucx_object *object =
        number > 0 && number <= ucx->count ? ucx->objects[number - 1] : NULL;
    return object != NULL && object->kind == kind ? object : NULL;
}

ucp_worker_h sim_ucx_worker_of(const tc_sim_world *world, uint64_t number)
{
    return (ucp_worker_h)(void *)find(world, number, SIM_UCX_WORKER); /* its first member */
}

ucp_ep_h sim_ucx_endpoint_of(const tc_sim_world *world, uint64_t number)
{
    return (ucp_ep_h)(void *)find(world, number, SIM_UCX_ENDPOINT); /* likewise */
}

ucp_mem_h sim_ucx_memory_of(const tc_sim_world *world, uint64_t number)
{
    return (ucp_mem_h)(void *)find(world, number, SIM_UCX_MEMORY); /* likewise */
}

uint64_t sim_ucx_draw(uint64_t limit)
{
    return sim_random_below(&sim_world_current->random, limit);
}

/* --- ends -------------------------------------------------------------------------------- */

/* Frees the world's memory of its workers; their own memory goes with the node. */
static void forget(tc_sim_node *node)
{
    const sim_ucx *ucx = node->world->ucx;
    for (size_t i = 0; i < ucx->count; i++) {
        sim_ucx_object *object = ucx->objects[i];
        if (object != NULL && object->node == node && object->kind == SIM_UCX_WORKER)
            sim_ucx_worker_forget((ucp_worker_h)(void *)object);
    }
    for (size_t i = 0; i < ucx->count; i++) {
        if (ucx->objects[i] != NULL && ucx->objects[i]->node == node)
            ucx->objects[i] = NULL;
    }
}

static bool goes_by(const sim_ucx_way *way, unsigned from, unsigned to)
{
    return (way->from_host == from && way->to_host == to) ||
           (way->from_host == to && way->to_host == from);
}

static void lose(tc_sim_world *world, unsigned from, unsigned to)
{
    const sim_ucx *ucx = world->ucx;
    for (size_t i = 0; i < ucx->count; i++) {
        ucp_ep_h ep = sim_ucx_endpoint_of(world, i + 1);
        if (ep != NULL && ep->tells_end && goes_by(ep->way, from, to))
            sim_ucx_endpoint_fail(ep, UCS_ERR_ENDPOINT_TIMEOUT);
    }
}

static void destroy(tc_sim_world *world)
{
    sim_memory_real_resize(world->ucx->objects, 0);
    sim_memory_real_resize(world->ucx, 0);
    world->ucx = NULL;
    world->ucx_hooks = NULL;
}

bool sim_ucx_begin(tc_sim_world *world)
{
    static const sim_ucx_hooks hooks = {forget, lose, destroy};
    static const unsigned minors[] = {13, 18}; /* their fences differ */
    if (world->ucx == NULL)
        world->ucx = sim_memory_real_clear(sizeof *world->ucx);
    else
        return true;
    if (world->ucx == NULL)
        return false;
    world->ucx_hooks = &hooks;
    world->ucx->minor = minors[sim_random_below(&world->random, 2)];
    return true;
}
