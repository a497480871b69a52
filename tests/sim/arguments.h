/* The command line of sim-explore. */
#ifndef SIM_ARGUMENTS_H
#define SIM_ARGUMENTS_H

#include "plan.h"

typedef struct arguments {
    plan plan; /* with the members that were given */
    bool has_seed, each_failure, failures, of_today, tracing, states, feedback;
    uint64_t also, without; /* features */
    uint64_t worlds, events;
    double seconds;
} arguments;

/* Reads the options; ends the process where one is wrong. --gdb makes the process gdb. */
arguments arguments_parse(int argc, char **argv);
/* Returns the plan of a seed, with what was given in its stead. */
plan arguments_plan(const arguments *args, uint64_t seed);

#endif
