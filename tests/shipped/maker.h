/* Commands of the function `maker`: it opens code that its message brings, and hands its
 * message on to that. */
#ifndef MAKER_H
#define MAKER_H

#include <stdint.h>

typedef enum maker_task {
    MAKER_MEMORY,  /* opens an archive; the call goes on to `rank` as a message of it */
    MAKER_BITCODE, /* the same of bitcode */
    MAKER_SEND,    /* the same of an archive; the call stays, and gets the status of sending */
    MAKER_CALL,    /* likewise by a call without a waiting caller */
    MAKER_WAIT,    /* answers with the statuses of all calls that would wait */
    MAKER_NOTHING  /* answers with the status of tc_forward_function without a function */
} maker_task;

/* In front of: the code, its signature, and the payload of the function that is opened. */
typedef struct maker_order {
    uint32_t task;
    uint32_t rank;
    char name[32];   /* of bitcode */
    char triple[32]; /* of bitcode */
    uint64_t code_bytes;
    uint64_t signature_bytes; /* of an archive; 0: no list */
} maker_order;

enum { MAKER_WAITS = 6 };

#endif
