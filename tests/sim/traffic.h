/* The program of the nodes of a world: each serves all others, and sends to them at random. */
#ifndef SIM_TRAFFIC_H
#define SIM_TRAFFIC_H

#include "plan.h"

#include <tc/sim.h>

/* Contexts have numbers: the first one of a node has the node's, the second one that and
 * PLAN_NODES_MAX. */
#define TRAFFIC_CONTEXTS (2 * PLAN_NODES_MAX)

typedef struct traffic {
    const plan *plan;
    tc_sim_node *nodes[PLAN_NODES_MAX];
    unsigned lives[PLAN_NODES_MAX];
    uint64_t entered[PLAN_NODES_MAX]; /* barriers, at most in a life */
    bool listens[TRAFFIC_CONTEXTS];   /* once it has, in a world without kills */
    bool busy[TRAFFIC_CONTEXTS];      /* has actions left; not when it was killed */
    unsigned ends[TRAFFIC_CONTEXTS];  /* while others work */
} traffic;

struct traffic_program;

/* For tc_sim_node_create; the argument is a traffic_node. */
typedef struct traffic_node {
    traffic *all;
    unsigned number;
    struct traffic_program *program; /* of its newest life */
} traffic_node;
void traffic_main(tc_sim_node *node, void *argument);

/* For a new world. */
void traffic_forget_tasks(void);

/* Binds the functions; makes their archives. Once. */
void traffic_prepare(void);

#endif
