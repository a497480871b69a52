/* The faults of a world, and its end: nodes that pause, die and start again, hosts that are cut
 * off; in sim-explore-steps (simulation/sim_step.h) at any step of a node. */
#ifndef SIM_FAULTS_H
#define SIM_FAULTS_H

#include "traffic.h"

/* Prepares the process. Returns whether a first world has to run before all others, and its
 * plan. With steps a run depends on all loads of the library, also on those of the environment
 * and of its first calls. */
bool faults_prepare(plan *first_out);
/* Around the run of a world. */
void faults_begin(tc_sim_world *world, const plan *p);
void faults_end(void);
/* Prints how often nodes were stopped at steps, if they may be. */
void faults_print(void);
/* Runs the world with its faults, then without any until all ends.
 *
 *   nodes  by number */
tc_status faults_run(tc_sim_world *world, traffic *all, traffic_node *nodes, tc_error *error);

#endif
