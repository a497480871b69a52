/* Memory that a function writes its answer to: tc_reply_begin and tc_reply_commit.
 *
 * It is held space of the ring that the answer leaves by (transfer/frame_out.h), or memory that
 * tc_reply sends: the context's own for a short answer, or a block.
 * docs/decisions/answers-in-place.md has the reasons. */
#ifndef TCI_REPLY_MEMORY_H
#define TCI_REPLY_MEMORY_H

#include "core/calls_ops.h"
#include "transfer/frame_out.h"

/* Shorter answers do not lie in a ring: copying them takes less time. */
#define TCI_REPLY_MEMORY_SHORT 2048u

typedef struct tci_reply_memory {
    uint8_t *bytes; /* for the function */
    size_t size;
    bool is_block; /* of aligned_alloc, which begins with this struct */
    tc_ep *ep;     /* of the ring that it is in; NULL: it is in memory of this process */
    tci_frame_hold hold;
} tci_reply_memory;

/* The context's own. One function has it at a time: not one that may wait, or that makes a
 * payload inside one of these. The others run to their ends before anything else happens. */
typedef struct tci_reply_memories {
    tci_reply_memory own;
    _Alignas(16) uint8_t bytes[TCI_REPLY_MEMORY_SHORT];
} tci_reply_memories;

/* Gives such memory to a message without it. `ep` is the endpoint that it came by, or one of
 * the group that it travels in. TC_E_TOO_LARGE, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_reply_memory_take(tc_ep *ep, tci_invocation *invocation,
                                              size_t size, void **memory_out);

/* Answers the message if its memory is in a ring, and no other frame has gone there since.
 * False: nothing was done. */
bool tci_reply_memory_commit(tci_invocation *invocation, size_t size);

/* Gives the memory of a message back that has some. */
void tci_reply_memory_give_back(tci_invocation *invocation);

#endif
