/* The states that worlds have reached, in the terms of the models of tests/model: how full a
 * ring is and where its lap ends, whether a side sleeps and for what, which pending work a
 * context has, how much of a staging segment is in use. Each model's variables, with numbers in
 * few classes, are one state. */
#ifndef SIM_STATES_H
#define SIM_STATES_H

#include "traffic.h"

#include <stddef.h>

#define STATES_MODELS(X)                                                                       \
    X(ring, "ring.pml")                                                                        \
    X(doorbell, "doorbell.pml")                                                                \
    X(pending, "pending.pml")                                                                  \
    X(staging, "staging.pml")

typedef enum states_model {
#define STATES_ENUM(name, file) STATES_##name,
    STATES_MODELS(STATES_ENUM)
#undef STATES_ENUM
        STATES_MODEL_COUNT
} states_model;

const char *states_model_name(states_model model);

/* Adds the states of all nodes now; for tc_sim_params.after_event, outside of nodes. */
void states_look(const traffic *all, const traffic_node *nodes);
/* Returns how many states of a model were ever reached, and of all. */
size_t states_count(states_model model);
size_t states_total(void);

#endif
