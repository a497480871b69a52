/* A table of the memory that nodes have allocated, by address. It lacks the memory that the C
 * library allocates for itself. An allocation of 4 GiB and more fails. */
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

/* Small, as a large world has some hundred thousand of them. */
typedef struct entry {
    void *memory; /* NULL: unused */
    uint32_t size;
    uint32_t owner;          /* in table.owners */
    uint32_t next, previous; /* of its owner, as indices + 1, or 0 */
} entry;

/* Open addressing, at most four fifths full; a removal moves later entries of the run back. It
 * grows by a quarter, as its own memory counts in a large world. */
static _Thread_local struct {
    entry *entries;
    size_t capacity; /* of 32 bits */
    size_t count;
    tc_sim_node **owners; /* NULL: unused; the first is never used */
    uint32_t owner_capacity;
    uint32_t owner_hint; /* all below are taken */
} table;

#define FIRST_CAPACITY 4096u
#define FIRST_OWNERS 64u

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

/* Gives a node an index of its own. */
static bool take_owner(tc_sim_node *node)
{
    uint32_t at = table.owner_hint > 0 ? table.owner_hint : 1;
    while (at < table.owner_capacity && table.owners[at] != NULL)
        at++;
    if (at >= table.owner_capacity) {
        const uint32_t old = table.owner_capacity, capacity = old > 0 ? 2 * old : FIRST_OWNERS;
        tc_sim_node **owners = __real_realloc(table.owners, capacity * sizeof *owners);
        if (owners == NULL)
            return false;
        memset(owners + old, 0, (capacity - old) * sizeof *owners);
        table.owners = owners;
        table.owner_capacity = capacity;
    }
    table.owners[at] = node;
    table.owner_hint = at + 1;
    node->memory_owner = at;
    return true;
}

static void release_owner(tc_sim_node *node)
{
    if (node->memory_owner == 0)
        return;
    table.owners[node->memory_owner] = NULL;
    if (table.owner_hint > node->memory_owner)
        table.owner_hint = node->memory_owner;
    node->memory_owner = 0;
}

/* Makes the neighbours in its node's list refer to this index. */
static void link_in(size_t at)
{
    const entry *e = &table.entries[at];
    const uint32_t self = (uint32_t)at + 1;
    if (e->previous != 0)
        table.entries[e->previous - 1].next = self;
    else
        table.owners[e->owner]->first_memory = self;
    if (e->next != 0)
        table.entries[e->next - 1].previous = self;
}

static void unlink_entry(const entry *e)
{
    if (e->previous != 0)
        table.entries[e->previous - 1].next = e->next;
    else
        table.owners[e->owner]->first_memory = e->next;
    if (e->next != 0)
        table.entries[e->next - 1].previous = e->previous;
}

static void put(void *memory, uint32_t size, uint32_t owner)
{
    size_t at = home(memory);
    while (table.entries[at].memory != NULL)
        at = behind(at);
    table.entries[at] = (entry){memory, size, owner, table.owners[owner]->first_memory, 0};
    link_in(at);
}

static bool grow(void)
{
    entry *old = table.entries;
    const size_t old_capacity = table.capacity;
    const size_t capacity =
        old_capacity == 0 ? FIRST_CAPACITY : old_capacity + old_capacity / 4;
    entry *entries = capacity < UINT32_MAX ? __real_calloc(capacity, sizeof *entries) : NULL;
    if (entries == NULL)
        return false;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].memory != NULL)
            table.owners[old[i].owner]->first_memory = 0; /* the lists are made again */
    }
    table.entries = entries;
    table.capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].memory != NULL)
            put(old[i].memory, old[i].size, old[i].owner);
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
    if ((node->memory_owner == 0 && !take_owner(node)) ||
        (5 * (table.count + 1) > 4 * table.capacity && !grow())) {
        __real_free(memory);
        errno = ENOMEM;
        return NULL;
    }
    put(memory, (uint32_t)size, node->memory_owner);
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
    table.owners[gone->owner]->memory -= gone->size;
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

static bool fails(size_t size)
{
    if (!sim_world_fails() && size <= UINT32_MAX)
        return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size)
{
    if (sim_world_node() == NULL)
        return __real_malloc(size);
    return fails(size) ? NULL : note(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (sim_world_node() == NULL)
        return __real_calloc(count, size);
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = SIZE_MAX;
    return fails(bytes) ? NULL : note(__real_calloc(count, size), bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (sim_world_node() == NULL)
        return __real_aligned_alloc(alignment, size);
    return fails(size) ? NULL : note(__real_aligned_alloc(alignment, size), size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    entry *old = memory != NULL ? find(memory) : NULL;
    if (sim_world_node() == NULL || (memory != NULL && old == NULL))
        return __real_realloc(memory, size);
    if (fails(size))
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
    release_owner(node);
}
