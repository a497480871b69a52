/* The calls and messages of the restarts by number, the counters that the function keeps of
 * them, and the comparison of both with the manual's promises. */
#ifndef RESTARTS_RECORD_H
#define RESTARTS_RECORD_H

#include "shipped/restart_tally.h"

#include <stdbool.h>
#include <tc/steady.h>

typedef enum restarts_kind {
    RESTARTS_ONCE = TC_STEADY_ONCE,
    RESTARTS_IDEMPOTENT = TC_STEADY_IDEMPOTENT,
    RESTARTS_MESSAGE
} restarts_kind;

typedef struct restarts_item {
    restarts_kind kind;
    bool has_ended; /* of a call */
    bool in_order;  /* the target ended in order, or not at all, since its start */
    uint32_t result;
    tc_steady_outcome outcome;
} restarts_item;

typedef struct restarts_record {
    restarts_item *items;
    const uint32_t *runs; /* by number, in memory that the file has */
    uint32_t count;
    unsigned wrong;
} restarts_record;

/* Makes the file and has TALLY_FILE name it. */
bool restarts_record_open(restarts_record *record);
void restarts_record_close(restarts_record *record);

/* Returns the next item. */
restarts_item *restarts_record_add(restarts_record *record, restarts_kind kind);

/* Counts the messages from `first` on that have not run. */
unsigned restarts_record_unrun(const restarts_record *record, uint32_t first);

/* Prints a broken promise, and counts it. */
void restarts_record_wrong(restarts_record *record, uint32_t number, const char *what);

/* Compares all calls with their counters, and prints a summary. Called when no target runs. */
void restarts_record_check(restarts_record *record);

#endif
