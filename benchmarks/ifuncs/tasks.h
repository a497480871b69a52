/* The struct behind target_args of the functions `tasks_begin` and `tasks_wait`, and their
 * payload. The counter comes first, so that the function `tsi` can be sent to the same
 * processes. */
#ifndef TC_TASKS_H
#define TC_TASKS_H

#include <stdint.h>
#include <tc/entry.h>

typedef struct tasks_target {
    uint64_t counter;
    uint64_t began;    /* tasks_begin: messages that have measured */
    uint64_t call_ns;  /* of all calls of a body, by its address */
    uint64_t begin_ns; /* of the same number of functions that may wait, and do not */
    uint64_t woken;    /* tasks_wait: those whose first wait has ended */
    uint64_t passed;   /* turns that they have let others run, together */
    uint64_t ended;
    uint64_t failed; /* waits and replies */
    /* The answering process alone: */
    uint64_t held;          /* calls without an answer */
    uint64_t answered;      /* of them */
    tc_call_ticket *ticket; /* of each held call, by its number */
    const uint32_t *order;  /* numbers, in the order of answers */
} tasks_target;

typedef enum tasks_kind {
    TASKS_SLEEP, /* waits until the time `at`, then `count` times for one turn */
    TASKS_ASK,   /* waits for the sender's answer to a call with the number `at` */
    TASKS_HOLD,  /* is that call; is answered later */
    TASKS_ANSWER /* answers `count` held calls */
} tasks_kind;

typedef struct tasks_order {
    uint32_t kind;
    uint32_t count;
    uint64_t at; /* by CLOCK_MONOTONIC, or a number */
} tasks_order;

/* Longer than any measurement. */
#define TASKS_CALL_NS (600ull * 1000000000ull)

#endif
