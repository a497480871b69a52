/* A heap of events, of four children each: it is less deep than a binary one. */
#include "sim_queue.h"

#include "sim_memory.h"

#define FIRST_CAPACITY 256u
#define ARITY 4u

static bool is_before(const sim_event *one, const sim_event *other)
{
    return one->time_ns != other->time_ns ? one->time_ns < other->time_ns
                                          : one->order < other->order;
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
    const sim_event event = {time_ns, queue->made++, run, subject, argument};
    size_t at = queue->count++;
    while (at > 0 && is_before(&event, &queue->events[(at - 1) / ARITY])) {
        queue->events[at] = queue->events[(at - 1) / ARITY];
        at = (at - 1) / ARITY;
    }
    queue->events[at] = event;
    return true;
}

/* Returns the first of an event's children, or the queue's count. */
static size_t first_child(const sim_queue *queue, size_t at)
{
    const size_t begin = ARITY * at + 1;
    const size_t end = begin + ARITY < queue->count ? begin + ARITY : queue->count;
    size_t first = begin;
    if (begin >= queue->count)
        return queue->count;
    for (size_t child = begin + 1; child < end; child++) {
        if (is_before(&queue->events[child], &queue->events[first]))
            first = child;
    }
    return first;
}

/* Puts an event in, from the root down. */
static void sink(sim_queue *queue, const sim_event *event)
{
    size_t at = 0, child;
    while ((child = first_child(queue, at)) < queue->count &&
           is_before(&queue->events[child], event)) {
        queue->events[at] = queue->events[child];
        at = child;
    }
    queue->events[at] = *event;
}

bool sim_queue_take(sim_queue *queue, uint64_t until_ns, sim_event *event_out)
{
    if (queue->count == 0 || queue->events[0].time_ns > until_ns)
        return false;
    *event_out = queue->events[0];
    const sim_event last = queue->events[--queue->count];
    if (queue->count > 0)
        sink(queue, &last);
    return true;
}

void sim_queue_fini(sim_queue *queue)
{
    sim_memory_real_resize(queue->events, 0);
    *queue = (sim_queue){0};
}
