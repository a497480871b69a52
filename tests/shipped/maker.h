/* What the function `maker` is told to do: it opens code that its message brings, and hands its
 * message on to that. */
#ifndef MAKER_H
#define MAKER_H

#include <stdint.h>

typedef enum maker_task {
    MAKER_MEMORY,  /* opens an archive; the call goes on to `rank` as a message of it */
    MAKER_BITCODE, /* the same of bitcode */
    MAKER_SEND,    /* the same of an archive; the call stays, and gets what sending said */
    MAKER_CALL,    /* likewise by a call that nobody waits for */
    MAKER_WAIT,    /* answers with what every call that would wait says */
    MAKER_NOTHING  /* answers with what tc_forward_function says of no function */
} maker_task;

/* In front of: the code, its signature, and the payload of the function that is opened. */
typedef struct maker_order {
    uint32_t task;
    uint32_t rank;
    char name[32];   /* of bitcode */
    char triple[32]; /* of bitcode */
    uint64_t code_bytes;
    uint64_t signature_bytes; /* of an archive; 0: it has none */
} maker_order;

enum { MAKER_WAITS = 6 };

#endif
