/* The events of a world that are still to come, ordered by time, and by the order of their
 * making where times are equal: a heap. */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sim_event {
    uint64_t time_ns;
    uint64_t order;
    void (*run)(void *subject, uint64_t argument);
    void *subject;
    uint64_t argument;
} sim_event;

typedef struct sim_queue {
    sim_event *events;
    size_t count;
    size_t capacity;
    uint64_t made; /* events so far */
} sim_queue;

/* Adds an event. Returns false when there is no memory. */
bool sim_queue_add(sim_queue *queue, uint64_t time_ns,
                   void (*run)(void *subject, uint64_t argument), void *subject,
                   uint64_t argument);
/* Takes the first event. Returns false when all others are later than `until_ns`. */
bool sim_queue_take(sim_queue *queue, uint64_t until_ns, sim_event *event_out);
/* Frees the queue's memory. */
void sim_queue_fini(sim_queue *queue);

#endif
