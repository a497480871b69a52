/* A binary heap of events. */
#include "sim_queue.h"

#include "sim_memory.h"

#define FIRST_CAPACITY 256u

static bool is_before(const sim_event *one, const sim_event *other)
{
    return one->time_ns != other->time_ns ? one->time_ns < other->time_ns
                                          : one->order < other->order;
}

static void swap(sim_event *one, sim_event *other)
{
    sim_event kept = *one;
    *one = *other;
    *other = kept;
}

static bool grow(sim_queue *queue)
{
    size_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : 2 * queue->capacity;
    sim_event *events = sim_memory_real_resize(queue->events, capacity * sizeof *events);
    if (events == NULL)
        return false;
    queue->events = events;
    queue->capacity = capacity;
    return true;
}

bool sim_queue_add(sim_queue *queue, uint64_t time_ns,
                   void (*run)(void *subject, uint64_t argument), void *subject,
                   uint64_t argument)
{
    if (queue->count == queue->capacity && !grow(queue))
        return false;
    size_t at = queue->count++;
    queue->events[at] = (sim_event){time_ns, queue->made++, run, subject, argument};
    while (at > 0 && is_before(&queue->events[at], &queue->events[(at - 1) / 2])) {
        swap(&queue->events[at], &queue->events[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    return true;
}

static void sink(sim_queue *queue)
{
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count)
            return;
        if (child + 1 < queue->count &&
            is_before(&queue->events[child + 1], &queue->events[child]))
            child++;
        if (!is_before(&queue->events[child], &queue->events[at]))
            return;
        swap(&queue->events[child], &queue->events[at]);
        at = child;
    }
}

bool sim_queue_take(sim_queue *queue, uint64_t until_ns, sim_event *event_out)
{
    if (queue->count == 0 || queue->events[0].time_ns > until_ns)
        return false;
    *event_out = queue->events[0];
    queue->events[0] = queue->events[--queue->count];
    sink(queue);
    return true;
}

void sim_queue_fini(sim_queue *queue)
{
    sim_memory_real_resize(queue->events, 0);
    *queue = (sim_queue){0};
}
