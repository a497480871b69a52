/* Segments are memory of the process; an attachment is a count of its node. */
#include "sim_segment.h"

#include "sim_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

typedef struct attachment {
    struct attachment *next;
    tc_sim_node *node;
} attachment;

struct sim_segment {
    sim_segment *next;
    int id;
    unsigned host;
    bool removed;
    size_t bytes;
    void *memory;
    attachment *attachments;
};

static sim_segment *find(int id, const void *memory)
{
    sim_segment *s = sim_world_current->segments;
    while (s != NULL && (memory != NULL ? s->memory != memory : s->id != id))
        s = s->next;
    return s;
}

/* Frees a segment that no node has attached, once it is marked. */
static void settle(sim_segment *segment)
{
    sim_segment **link = &sim_world_current->segments;
    if (!segment->removed || segment->attachments != NULL)
        return;
    while (*link != segment)
        link = &(*link)->next;
    *link = segment->next;
    (void)munmap(segment->memory, segment->bytes);
    sim_memory_real_resize(segment, 0);
}

int sim_segment_get(size_t bytes)
{
    tc_sim_world *world = sim_world_current;
    sim_segment *s = sim_world_fails() ? NULL : sim_memory_real_clear(sizeof *s);
    void *memory = s != NULL ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                             : MAP_FAILED;
    if (memory == MAP_FAILED) {
        sim_memory_real_resize(s, 0);
        errno = ENOSPC;
        return -1;
    }
    *s = (sim_segment){.next = world->segments,
                       .id = (int)world->next_segment++,
                       .host = sim_world_node()->host,
                       .bytes = bytes,
                       .memory = memory};
    world->segments = s;
    return s->id;
}

void *sim_segment_attach(int id)
{
    sim_segment *s = find(id, NULL);
    tc_sim_node *node = sim_world_node();
    attachment *a = NULL;
    errno = EINVAL;
    if (s == NULL || s->host != node->host)
        return (void *)(intptr_t)-1; // NOLINT: as shmat
    errno = ENOMEM;
    if (sim_world_fails() || (a = sim_memory_real_clear(sizeof *a)) == NULL)
        return (void *)(intptr_t)-1; // NOLINT: as shmat
    *a = (attachment){s->attachments, node};
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
    sim_memory_real_resize(gone, 0);
    return true;
}

int sim_segment_detach(const void *memory)
{
    sim_segment *s = find(0, memory);
    if (s == NULL || !detach(s, sim_world_node())) {
        errno = EINVAL;
        return -1;
    }
    settle(s);
    return 0;
}

int sim_segment_control(int id, int command, struct shmid_ds *about)
{
    sim_segment *s = find(id, NULL);
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
    sim_segment *next;
    for (sim_segment *s = sim_world_current != NULL ? sim_world_current->segments : NULL;
         s != NULL; s = next) {
        next = s->next;
        while (detach(s, node)) {
        }
        settle(s);
    }
}
