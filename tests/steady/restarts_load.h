/* The load of the restarts: a steady endpoint with calls of both marks, or messages. */
#ifndef RESTARTS_LOAD_H
#define RESTARTS_LOAD_H

#include "restarts_record.h"

#define RESTARTS_PATIENCE_NS TC_SECONDS(60)

typedef enum restarts_traffic { RESTARTS_CALLS, RESTARTS_MESSAGES } restarts_traffic;

typedef struct restarts_load {
    tc_context *ctx;
    tc_steady *steady;
    tc_ifunc *tally;
    restarts_record record;
    unsigned under_way; /* calls */
    unsigned connected, lost;
    bool kills;             /* the target was killed, and the loss is not known yet */
    bool is_vague;          /* by this delivery calls that were not consumed may have run */
    uint64_t messages_lost; /* of the newest loss */
    uint64_t random;
} restarts_load;

/* A failure of these ends the program. */
void restarts_load_open(restarts_load *load, const char *address);
void restarts_load_close(restarts_load *load);

unsigned restarts_load_random(restarts_load *load, unsigned end);

/* Does a moment's work; messages up to a number since `first`. */
void restarts_load_work(restarts_load *load, restarts_traffic traffic, uint32_t first);

/* Ends the program when the deadline is over. */
void restarts_load_expect_time(uint64_t deadline_ns, const char *what);

#endif
