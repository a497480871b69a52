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
    PATIENT_PLUNGE  /* the same in one step */
} patient_kind;

typedef struct patient_order {
    uint32_t kind;
    uint32_t depth;
    uint64_t ns;
    tc_gptr at;
} patient_order;

#endif
