/* The objects that the tests make, and the messages of their methods. */
#ifndef TEST_THING_H
#define TEST_THING_H

#include <tc/object.h>

/* The state may have more bytes behind it: byte i of them is (uint8_t)(seed + i * 7). */
typedef struct thing {
    uint64_t value;
    uint64_t inside;     /* methods that are between their waits */
    uint64_t inside_max; /* that was ever seen */
    uint64_t seed;
} thing;

typedef struct thing_start {
    uint64_t bytes; /* of the whole state */
    uint64_t seed;
} thing_start;

typedef struct thing_amount {
    tc_gptr object;
    uint64_t amount;
} thing_amount;

typedef struct thing_answer {
    uint64_t value;
    uint64_t inside_max;
    uint64_t bytes;
    uint32_t is_whole; /* 1: all bytes behind the struct have their values */
    uint32_t rank;
} thing_answer;

/* Published by each rank: destructors that ran here, objects that are here while it serves, and
 * 1 when the program should end. */
#define THING_RANK "thing_rank"
typedef struct thing_rank {
    uint64_t destroyed;
    uint64_t objects;
    int has_ended;
    int pid;
} thing_rank;

#endif
