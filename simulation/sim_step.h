/* Steps: in programs that link libtchains-sim-steps, each load, store and atomic operation of
 * the library is a point at which the running fiber may be stopped. That library is compiled
 * with the calls for ThreadSanitizer, and sim_step_calls.c receives them.
 *
 * A fiber that is stopped waits for a time drawn from the seed, while other nodes, and other
 * threads of its node, go on. Where stores are delayed, an atomic store into a shared segment
 * stays in a buffer of its fiber for a while, as in a processor's: the fiber itself sees it,
 * others do not. A release waits in the buffer behind all stores before it; a relaxed store may
 * overtake them. A barrier or a system call empties the buffer.
 *
 * Processes share no locks, but nodes do: those in static variables. A fiber that holds one, or
 * runs a function of pthread_once, is not stopped.
 *
 * The simulator calls these functions at the points that concern them. In libtchains-sim they
 * do nothing. */
#ifndef SIM_STEP_H
#define SIM_STEP_H

#include "sim_world.h"

typedef struct sim_step_params {
    uint64_t seed;
    uint64_t mean;       /* steps between two stops, on average; from 1 */
    uint64_t longest_ns; /* the longest stop */
    /* Atomic operations on shared segments that are stops, too; and their stores that are
     * delayed. */
    uint32_t dense_per_million;
    uint32_t delayed_per_million;
} sim_step_params;

#ifdef TC_SIM_STEPS

/* Begins to stop the fibers of a world, which has not run yet. It ends with sim_step_end. */
void sim_step_begin(tc_sim_world *world, const sim_step_params *params);
void sim_step_end(void);
/* Calls run(user) in the world, while a fiber of the node stands at one of its next steps.
 * Replaces an earlier call that has not run. */
void sim_step_stop_at(tc_sim_node *node, void (*run)(void *user), void *user);
/* Returns how many stops there were, and how many stores were delayed. */
uint64_t sim_step_stops(uint64_t *delayed_out);

/* Called when a fiber has taken a lock, and when it releases one. */
void sim_step_note_lock(const void *lock, bool taken);
/* Called before a fiber leaves the processor. Its stores become visible, unless it is
 * stopped. */
void sim_step_note_wait(const sim_fiber *fiber);
/* Makes the delayed stores of a fiber visible, or those of all. */
void sim_step_flush(const sim_fiber *fiber);
void sim_step_flush_all(void);
/* Returns the address at which a segment is mapped; NULL: anywhere. */
#define SIM_STEP_ADDRESSES 1
void *sim_step_address(uint32_t id, size_t bytes);

#else

static inline void sim_step_note_lock(const void *lock, bool taken)
{
    (void)lock, (void)taken;
}

static inline void sim_step_note_wait(const sim_fiber *fiber)
{
    (void)fiber;
}

static inline void sim_step_flush(const sim_fiber *fiber)
{
    (void)fiber;
}

static inline void sim_step_flush_all(void)
{
}

#define SIM_STEP_ADDRESSES 0
static inline void *sim_step_address(uint32_t id, size_t bytes)
{
    (void)id, (void)bytes;
    return NULL;
}

#endif

#endif
