/* Orders for the function `scribe`, which answers in the memory of tc_reply_begin, and for
 * `scribe_waits`, which does the same and may wait. */
#ifndef SCRIBE_H
#define SCRIBE_H

#include <stdint.h>

typedef enum scribe_kind {
    SCRIBE_NOTE,      /* counts this message; no answer of its own */
    SCRIBE_COUNT,     /* answers with that count and clears it */
    SCRIBE_WRITE,     /* begins `reserved` bytes, writes them, commits `committed` */
    SCRIBE_SEND,      /* the same, and sends its sender `count` NOTEs of `bytes` meanwhile */
    SCRIBE_CALL,      /* the same, and starts `count` calls of its sender meanwhile */
    SCRIBE_SLEEP,     /* the same, and sleeps meanwhile */
    SCRIBE_LATE,      /* begins, and goes on in a body of tc_task_run */
    SCRIBE_FORGET,    /* begins, writes, and returns */
    SCRIBE_FAIL,      /* begins, writes, fails, and abandons its guard's body */
    SCRIBE_OTHERWISE, /* begins, writes, and passes that memory to tc_reply */
    SCRIBE_TWICE,     /* begins half of it, then all of it, and commits that */
    SCRIBE_DETACH, /* begins, writes, detaches, and answers the ticket with the memory's copy */
    SCRIBE_FORWARD, /* begins, writes, and forwards the call to `rank`, for a WRITE there */
    SCRIBE_INVALID  /* answers with the statuses of calls that are refused */
} scribe_kind;

typedef struct scribe_order {
    uint32_t kind;
    uint32_t rank;
    uint32_t count;
    uint32_t bytes;
    uint64_t reserved;
    uint64_t committed;
    uint64_t seed;
} scribe_order;

#define SCRIBE_STATUSES 6 /* of INVALID */

static inline uint8_t scribe_byte(uint64_t seed, uint64_t i)
{
    return (uint8_t)(seed + i * 7 + (i >> 8));
}

#endif
