/* Orders for the function `wayfarer`, which waits in calls of the library. */
#ifndef WAYFARER_H
#define WAYFARER_H

#include <stdint.h>

typedef enum wayfarer_kind {
    WAYFARER_COUNT,   /* counts, and answers with the count */
    WAYFARER_READ,    /* answers with it */
    WAYFARER_FLUSH,   /* sends `count` messages back and flushes them */
    WAYFARER_CALLS,   /* starts `count` calls of its sender and waits for them */
    WAYFARER_SEND,    /* sends a message of `count` bytes back, when there is capacity for it */
    WAYFARER_REFUSED, /* sends a function that is refused, flushes, answers with the reason */
    WAYFARER_BARRIER, /* waits in a barrier of its group, for `ns` at most */
} wayfarer_kind;

typedef struct wayfarer_order {
    uint32_t kind;
    uint32_t count;
    uint64_t ns;
} wayfarer_order;

typedef struct wayfarer_answer {
    int32_t status;
    uint32_t count;
    char text[112];
} wayfarer_answer;

#endif
