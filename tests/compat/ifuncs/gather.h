/* The contents of messages of `gather`, and their results at the target. */
#ifndef GATHER_H
#define GATHER_H

#include <stdint.h>

typedef struct gather_args {
    uint64_t sender;
    uint64_t number; /* counts the sender's messages from 1 */
    uint64_t words;  /* of the payload behind these three */
} gather_args;

#define GATHER_SENDERS 4

typedef struct gather_state {
    /* the number of the last message, each one more than before */
    uint64_t next[GATHER_SENDERS];
    uint64_t run;
    uint64_t torn;
    uint64_t out_of_order;
} gather_state;

static inline uint64_t gather_word(const gather_args *args, uint64_t index)
{
    return (args->number * 1000003 + args->sender * 77 + index) * 0x9e3779b97f4a7c15u;
}

#endif
