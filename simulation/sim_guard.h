/* Guards real time: a node must neither sleep nor wait by calls that are not simulated, nor run
 * for ever. */
#ifndef SIM_GUARD_H
#define SIM_GUARD_H

#include "sim_world.h"

/* Starts the processor's timer for the world's thread, when it does not run yet. */
void sim_guard_start(tc_sim_world *world);
/* Ends the timer. */
void sim_guard_stop(tc_sim_world *world);
/* Called before and after a fiber runs. */
void sim_guard_begin(tc_sim_world *world);
void sim_guard_end(tc_sim_world *world, const tc_sim_node *node);

#endif
