/* The part of the scheduler of steps that the calls of compiled code need. */
#ifndef SIM_STEP_CALLS_H
#define SIM_STEP_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* Steps until sim_step_due is called. */
extern uint64_t sim_step_left;
void sim_step_due(void);

/* Returns whether an address is in a shared segment. */
bool sim_step_is_shared(const void *at);
/* A step that is an atomic operation there. */
void sim_step_on_shared(void);
/* Puts a store into the running fiber's buffer. Returns false when it has to be made at
 * once. */
bool sim_step_delay(void *at, uint64_t value, unsigned bytes, int order);
/* Returns whether the running fiber's buffer has a store to the address, and its value. */
bool sim_step_forward(const void *at, uint64_t *value_out);
/* Empties the running fiber's buffer. */
void sim_step_barrier(void);

#endif
