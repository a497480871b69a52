/* Hooks for the simulated UCX at ends of nodes, of routes, of the world. In a build without UCX
 * no world has these. */
#ifndef SIM_HOOKS_H
#define SIM_HOOKS_H

typedef struct tc_sim_world tc_sim_world;
typedef struct tc_sim_node tc_sim_node;

typedef struct sim_ucx_hooks {
    /* A node ends; its memory is still there. */
    void (*forget)(tc_sim_node *node);
    /* No bytes have passed from a host to another for too long. */
    void (*lose)(tc_sim_world *world, unsigned from, unsigned to);
    void (*destroy)(tc_sim_world *world);
} sim_ucx_hooks;

#endif
