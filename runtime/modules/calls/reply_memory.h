/* Memory that a function writes its answer to: tc_reply_begin and tc_reply_commit.
 *
 * It is held space of the ring that takes the answer (transfer/frame_out.h), or a block, which
 * tc_reply sends. docs/decisions/answers-in-place.md has the reasons. */
#ifndef TCI_REPLY_MEMORY_H
#define TCI_REPLY_MEMORY_H

#include "core/calls_ops.h"
#include "transfer/frame_out.h"

typedef struct tci_reply_memory {
    uint8_t *bytes; /* for the function */
    size_t size;
    tc_ep *ep; /* whose ring it is in; NULL: it is a block, which begins with this struct */
    tci_frame_hold hold;
} tci_reply_memory;

/* Gives such memory to a message that has none. `ep` is the endpoint that it came by, or one of
 * the group that it travels in. TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_reply_memory_take(tc_ep *ep, tci_invocation *invocation,
                                              size_t size, void **memory_out);

/* Answers the message if its memory is in a ring, and no other frame has gone there since.
 * False: nothing was done. */
bool tci_reply_memory_commit(tci_invocation *invocation, size_t size);

/* Gives the memory of a message back that has some. */
void tci_reply_memory_give_back(tci_invocation *invocation);

#endif
