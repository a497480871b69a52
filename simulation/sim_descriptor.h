/* Simulated descriptors: sockets, eventfds, timers, epoll sets. Their numbers lie above those
 * of the process, so that a number alone shows which it is. */
#ifndef SIM_DESCRIPTOR_H
#define SIM_DESCRIPTOR_H

#include "sim_world.h"

#include <poll.h>
#include <sys/types.h>

#define SIM_DESCRIPTOR_FIRST (1 << 20)
#define SIM_DESCRIPTORS_MAX (1u << 20) /* of a node */

struct sim_watch;

/* The operations of a kind. A member may be NULL: not supported. */
typedef struct sim_descriptor_ops {
    /* Returns POLLIN, POLLOUT, POLLHUP, POLLERR, POLLRDHUP as far as they hold. */
    unsigned (*ready)(const sim_descriptor *descriptor);
    ssize_t (*read)(sim_descriptor *descriptor, void *bytes, size_t size, int flags);
    ssize_t (*write)(sim_descriptor *descriptor, const void *bytes, size_t size);
    void (*close)(sim_descriptor *descriptor);
} sim_descriptor_ops;

struct sim_descriptor {
    const sim_descriptor_ops *ops;
    tc_sim_node *node;
    sim_descriptor *next; /* of the node */
    sim_descriptor **previous_next;
    unsigned uses; /* numbers that stand for it */
    bool blocking;
    sim_waiter *waiters;
    struct sim_watch *watches; /* epoll sets that have it */
};

/* Gives a descriptor of the running node a number; `descriptor` is zeroed memory of
 * sim_memory_real_clear. Returns the number, or -1 with errno; then it is freed. */
int sim_descriptor_open(sim_descriptor *descriptor, const sim_descriptor_ops *ops);
/* Another number for the same. */
int sim_descriptor_duplicate(sim_descriptor *descriptor);
/* Returns NULL for a number that the running node does not have. */
sim_descriptor *sim_descriptor_of(int number);
/* Returns whether the number is a simulated one. */
static inline bool sim_descriptor_is(int number)
{
    return number >= SIM_DESCRIPTOR_FIRST;
}
/* Returns -1 with errno. */
int sim_descriptor_close(int number);
void sim_descriptor_close_all(tc_sim_node *node);
/* Called after each change that may make it ready: wakes those that wait. */
void sim_descriptor_changed(sim_descriptor *descriptor);
/* Adds the running fiber to those that a change wakes, until it runs again. */
void sim_descriptor_await(sim_descriptor *descriptor);

/* --- kinds ------------------------------------------------------------------------------- */

int sim_descriptor_eventfd(unsigned initial);
int sim_descriptor_timer(void);
/* Sets a timer of sim_descriptor_timer; 0: off. */
void sim_descriptor_timer_set(sim_descriptor *descriptor, uint64_t at_ns);

#endif
