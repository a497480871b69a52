/* The settings of a run, from its command line. */
#ifndef INDEX_ARGUMENTS_H
#define INDEX_ARGUMENTS_H

#include "index_build.h"

#define INDEX_ROUNDS_MAX 1000u

typedef struct index_arguments {
    index_shape shape; /* keys, clients, fanout, value_bytes */
    uint64_t per_bucket;
    uint64_t lookups; /* in each way and round */
    uint64_t rounds;
    uint64_t delay_ns;     /* one way */
    uint64_t change_every; /* lookups; 0: never */
    index_damage damage;
} index_arguments;

/* Ends the process if it is not a command line, or asks for help. */
void index_arguments_parse(int argc, char **argv, index_arguments *args);

#endif
