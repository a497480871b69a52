/* Orders for the function `patient`, which waits. */
#ifndef PATIENT_H
#define PATIENT_H

#include <stdint.h>
#include <tc/window.h>

typedef enum patient_kind {
    PATIENT_NAP,    /* sleeps for `ns` and answers with the order, bytes behind it included */
    PATIENT_NEST,   /* asks its sender with `depth` - 1, down to 0; answers depth + 1 */
    PATIENT_SUM,    /* gets `depth` words of the sender's window and answers with their sum */
    PATIENT_STACK,  /* sleeps with `depth` bytes of stack in use; answers whether they stayed */
    PATIENT_GUARD,  /* sleeps in a guard, and then abandons it */
    PATIENT_STAY,   /* sleeps until a wait fails, and counts that in `replies` */
    PATIENT_INSIST, /* sleeps for ever, whatever its waits return */
    PATIENT_FAIL,   /* sleeps and fails */
    PATIENT_SINK,   /* uses all of its stack */
    PATIENT_PLUNGE, /* the same in one step */
    PATIENT_DIVE,   /* the same in frames of random size, up to `depth`, some of which sleep */
    PATIENT_RELAY,  /* asks the endpoint `other` of the state with PATIENT_NAP */
    PATIENT_FETCH,  /* gets a word of that endpoint's window at `at` */
    PATIENT_CLOSE,  /* closes its own endpoint, then sleeps */
    PATIENT_BACK,   /* sleeps in the callback of a call to its sender; answers its status */
    PATIENT_LATE    /* gets a word of its sender's window after `ns` */
} patient_kind;

typedef struct patient_order {
    uint32_t kind;
    uint32_t depth;
    uint64_t ns;
    tc_gptr at;
} patient_order;

#endif
