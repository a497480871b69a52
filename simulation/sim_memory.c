/* A table of the memory that nodes have allocated, by address. It lacks the memory that the C
 * library allocates for itself. */
#include "sim_memory.h"

#include "sim_world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

typedef struct entry {
    void *memory; /* NULL: unused */
    size_t size;
    tc_sim_node *node;
    uint32_t next, previous; /* of its node, as indices + 1, or 0 */
} entry;

/* Open addressing, at most four fifths full; a removal moves later entries of the run back. It
 * grows by half, as its own memory counts in a large world. */
static _Thread_local struct {
    entry *entries;
    size_t capacity; /* of 32 bits */
    size_t count;
} table;

#define FIRST_CAPACITY 4096u

void *sim_memory_real_resize(void *memory, size_t size)
{
    if (size > 0)
        return __real_realloc(memory, size);
    __real_free(memory);
    return NULL;
}

void *sim_memory_real_clear(size_t size)
{
    return __real_calloc(1, size);
}

void *sim_memory_real_align(size_t alignment, size_t size)
{
    void *memory = __real_aligned_alloc(alignment, size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

static size_t home(const void *memory)
{
    const uint64_t hash = ((uintptr_t)memory >> 4) * 0x9e3779b97f4a7c15u >> 32;
    return (size_t)(hash * table.capacity >> 32);
}

static size_t behind(size_t at)
{
    return at + 1 < table.capacity ? at + 1 : 0;
}

/* Returns how far an index lies behind another one, around the end. */
static size_t distance(size_t at, size_t from)
{
    return at >= from ? at - from : at + table.capacity - from;
}

/* Makes the neighbours in its node's list refer to this index. */
static void link_in(size_t at)
{
    const entry *e = &table.entries[at];
    const uint32_t self = (uint32_t)at + 1;
    if (e->previous != 0)
        table.entries[e->previous - 1].next = self;
    else
        e->node->first_memory = self;
    if (e->next != 0)
        table.entries[e->next - 1].previous = self;
}

static void unlink_entry(const entry *e)
{
    if (e->previous != 0)
        table.entries[e->previous - 1].next = e->next;
    else
        e->node->first_memory = e->next;
    if (e->next != 0)
        table.entries[e->next - 1].previous = e->previous;
}

static void put(void *memory, size_t size, tc_sim_node *node)
{
    size_t at = home(memory);
    while (table.entries[at].memory != NULL)
        at = behind(at);
    table.entries[at] = (entry){memory, size, node, node->first_memory, 0};
    link_in(at);
}

static bool grow(void)
{
    entry *old = table.entries;
    const size_t old_capacity = table.capacity;
    const size_t capacity =
        old_capacity == 0 ? FIRST_CAPACITY : old_capacity + old_capacity / 2;
    entry *entries = capacity < UINT32_MAX ? __real_calloc(capacity, sizeof *entries) : NULL;
    if (entries == NULL)
        return false;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].memory != NULL)
            old[i].node->first_memory = 0; /* the lists are made again */
    }
    table.entries = entries;
    table.capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].memory != NULL)
            put(old[i].memory, old[i].size, old[i].node);
    }
    __real_free(old);
    return true;
}

/* Adds an allocation of the running node. */
static void *note(void *memory, size_t size)
{
    tc_sim_node *node = sim_world_node();
    if (memory == NULL)
        return NULL;
    if (5 * (table.count + 1) > 4 * table.capacity && !grow()) {
        __real_free(memory);
        errno = ENOMEM;
        return NULL;
    }
    put(memory, size, node);
    table.count++;
    node->memory += size;
    return memory;
}

static entry *find(const void *memory)
{
    if (table.count == 0)
        return NULL;
    size_t at = home(memory);
    while (table.entries[at].memory != NULL && table.entries[at].memory != memory)
        at = behind(at);
    return table.entries[at].memory != NULL ? &table.entries[at] : NULL;
}

static void forget(entry *gone)
{
    size_t hole = (size_t)(gone - table.entries), at = hole;
    gone->node->memory -= gone->size;
    table.count--;
    unlink_entry(gone);
    for (;;) {
        at = behind(at);
        if (table.entries[at].memory == NULL)
            break;
        const size_t wanted = home(table.entries[at].memory);
        /* moves back unless its own index lies behind the hole, seen around the end */
        if (distance(at, wanted) >= distance(at, hole)) {
            table.entries[hole] = table.entries[at];
            link_in(hole);
            hole = at;
        }
    }
    table.entries[hole].memory = NULL;
}

static bool fails(void)
{
    if (!sim_world_fails())
        return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    if (sim_world_node() == NULL)
        return __real_malloc(size);
    return fails() ? NULL : note(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (sim_world_node() == NULL)
        return __real_calloc(count, size);
    return fails() ? NULL : note(__real_calloc(count, size), count * size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (sim_world_node() == NULL)
        return __real_aligned_alloc(alignment, size);
    return fails() ? NULL : note(__real_aligned_alloc(alignment, size), size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    entry *old = memory != NULL ? find(memory) : NULL;
    if (sim_world_node() == NULL || (memory != NULL && old == NULL))
        return __real_realloc(memory, size);
    if (fails())
        return NULL;
    void *resized = __real_realloc(memory, size);
    if (resized != NULL && old != NULL)
        forget(old);
    return note(resized, size);
}

void __wrap_free(void *memory)
{
    entry *known = memory != NULL ? find(memory) : NULL;
    if (known != NULL)
        forget(known);
    __real_free(memory);
}

void sim_memory_free_all(tc_sim_node *node)
{
    while (node->first_memory != 0) {
        entry *at = &table.entries[node->first_memory - 1];
        void *memory = at->memory;
        forget(at);
        __real_free(memory);
    }
}
