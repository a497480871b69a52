/* Segments are memory of the process; an attachment is a count of its node. */
#include "sim_segment.h"

#include "sim_memory.h"
#include "sim_step.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define CAPACITY_FIRST 64u
#define ALIGNMENT 64u /* of a ring's data */
#define SMALL_BYTES ((size_t)32 << 10)

typedef struct attachment {
    struct attachment *next; /* of the segment */
    tc_sim_node *node;
    sim_segment *segment;
    struct attachment *next_of_node, **previous_of_node;
} attachment;

struct sim_segment {
    sim_segment *next_by_id, *next_by_memory; /* in the world's tables */
    int id;
    unsigned host;
    bool removed;
    size_t bytes;
    void *memory;
    attachment *attachments;
};

static sim_segment **by_id(const tc_sim_world *world, int id)
{
    return &world->segments[(unsigned)id & (world->segment_capacity - 1)];
}

/* The second half of the table. */
static sim_segment **by_memory(const tc_sim_world *world, const void *memory)
{
    const uint64_t hash = ((uintptr_t)memory >> 6) * 0x9e3779b97f4a7c15u >> 32;
    return &world->segments[world->segment_capacity + (hash & (world->segment_capacity - 1))];
}

static sim_segment *find(int id)
{
    const tc_sim_world *world = sim_world_current;
    sim_segment *s = world->segment_capacity > 0 ? *by_id(world, id) : NULL;
    while (s != NULL && s->id != id)
        s = s->next_by_id;
    return s;
}

static sim_segment *find_at(const void *memory)
{
    const tc_sim_world *world = sim_world_current;
    sim_segment *s = world->segment_capacity > 0 ? *by_memory(world, memory) : NULL;
    while (s != NULL && s->memory != memory)
        s = s->next_by_memory;
    return s;
}

static void put(tc_sim_world *world, sim_segment *s)
{
    sim_segment **link = by_id(world, s->id);
    s->next_by_id = *link;
    *link = s;
    link = by_memory(world, s->memory);
    s->next_by_memory = *link;
    *link = s;
}

static bool grow(tc_sim_world *world)
{
    const size_t old_capacity = world->segment_capacity;
    const size_t capacity = old_capacity == 0 ? CAPACITY_FIRST : 2 * old_capacity;
    sim_segment **old = world->segments;
    sim_segment **table = sim_memory_real_clear(2 * capacity * sizeof(sim_segment *));
    if (table == NULL)
        return false;
    world->segments = table;
    world->segment_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        while (old[i] != NULL) {
            sim_segment *s = old[i];
            old[i] = s->next_by_id;
            put(world, s);
        }
    }
    sim_memory_real_resize(old, 0);
    return true;
}

/* With steps each segment is mapped at an address of its own. */
static bool is_small(size_t bytes)
{
    return !SIM_STEP_ADDRESSES && bytes <= SMALL_BYTES;
}

/* Small segments are allocated with other memory, so that the rings of a large world fill whole
 * pages. */
static void *take_memory(uint32_t id, size_t bytes)
{
    if (is_small(bytes))
        return sim_memory_real_align(ALIGNMENT,
                                     (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    void *memory = mmap(sim_step_address(id, bytes), bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void free_memory(void *memory, size_t bytes)
{
    if (is_small(bytes))
        sim_memory_real_resize(memory, 0);
    else
        (void)munmap(memory, bytes);
}

/* Frees a segment that no node has attached, once it is marked. */
static void settle(sim_segment *segment)
{
    tc_sim_world *world = sim_world_current;
    if (!segment->removed || segment->attachments != NULL)
        return;
    sim_step_flush_all();
    sim_segment **link = by_id(world, segment->id);
    while (*link != segment)
        link = &(*link)->next_by_id;
    *link = segment->next_by_id;
    link = by_memory(world, segment->memory);
    while (*link != segment)
        link = &(*link)->next_by_memory;
    *link = segment->next_by_memory;
    world->segment_count--;
    free_memory(segment->memory, segment->bytes);
    sim_memory_real_resize(segment, 0);
}

int sim_segment_get(size_t bytes)
{
    tc_sim_world *world = sim_world_current;
    const bool fits =
        !sim_world_fails() && (world->segment_count < world->segment_capacity || grow(world));
    sim_segment *s = fits ? sim_memory_real_clear(sizeof *s) : NULL;
    void *memory = s != NULL ? take_memory(world->next_segment, bytes) : NULL;
    if (memory == NULL) {
        sim_memory_real_resize(s, 0);
        errno = ENOSPC;
        return -1;
    }
    *s = (sim_segment){.id = (int)world->next_segment++,
                       .host = sim_world_node()->host,
                       .bytes = bytes,
                       .memory = memory};
    put(world, s);
    world->segment_count++;
    return s->id;
}

void *sim_segment_attach(int id)
{
    sim_segment *s = find(id);
    tc_sim_node *node = sim_world_node();
    attachment *a = NULL;
    errno = EINVAL;
    if (s == NULL || s->host != node->host)
        return (void *)(intptr_t)-1; // NOLINT: as shmat
    errno = ENOMEM;
    if (sim_world_fails() || (a = sim_memory_real_clear(sizeof *a)) == NULL)
        return (void *)(intptr_t)-1; // NOLINT: as shmat
    *a = (attachment){s->attachments, node, s, node->attachments, &node->attachments};
    if (node->attachments != NULL)
        node->attachments->previous_of_node = &a->next_of_node;
    node->attachments = a;
    s->attachments = a;
    return s->memory;
}

static bool detach(sim_segment *segment, const tc_sim_node *node)
{
    attachment **link = &segment->attachments;
    while (*link != NULL && (*link)->node != node)
        link = &(*link)->next;
    attachment *gone = *link;
    if (gone == NULL)
        return false;
    *link = gone->next;
    *gone->previous_of_node = gone->next_of_node;
    if (gone->next_of_node != NULL)
        gone->next_of_node->previous_of_node = gone->previous_of_node;
    sim_memory_real_resize(gone, 0);
    return true;
}

int sim_segment_detach(const void *memory)
{
    sim_segment *s = find_at(memory);
    if (s == NULL || !detach(s, sim_world_node())) {
        errno = EINVAL;
        return -1;
    }
    settle(s);
    return 0;
}

int sim_segment_control(int id, int command, struct shmid_ds *about)
{
    sim_segment *s = find(id);
    if (s == NULL || (command != IPC_RMID && command != IPC_STAT)) {
        errno = EINVAL;
        return -1;
    }
    if (command == IPC_STAT) {
        memset(about, 0, sizeof *about);
        about->shm_segsz = s->bytes;
        return 0;
    }
    s->removed = true;
    settle(s);
    return 0;
}

void sim_segment_detach_all(tc_sim_node *node)
{
    while (node->attachments != NULL) {
        sim_segment *s = node->attachments->segment;
        (void)detach(s, node);
        settle(s);
    }
}
