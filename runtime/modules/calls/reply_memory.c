/* Gives memory for answers: in the ring, or a block.
 *
 * The payload of a REPLY frame begins with a head of 40 bytes, 16 bytes into a granule, so the
 * answer behind it is aligned to 8. Functions get memory aligned to 16, and peers of any
 * version take the frames. So an answer in the ring travels as two parts:
 *
 *     offset 0     frame of the first part: its header, head, and the answer's first 8 bytes
 *     offset 64    frame of the second part: its header and head
 *     offset 112   the function's memory. Its first 8 bytes are the last 8 of that head
 *     offset 120   the answer's other bytes, which are the second part where they are
 *
 * The commit moves those first 8 bytes to the first part, and writes the head over them. */
#include "modules/calls/reply_memory.h"

#include "base/assertion.h"
#include "base/stream_copy.h"
#include "core/tasks_ops.h"
#include "modules/calls/calling_state.h"
#include "modules/calls/reply.h"

#include <stdlib.h>

#define ALIGNMENT 16u
#define FIRST_PART 8u
#define SECOND_FRAME (TCI_FRAME_HEADER_BYTES + TCI_REPLY_BYTES + FIRST_PART)
#define MEMORY_OFFSET (SECOND_FRAME + TCI_FRAME_HEADER_BYTES + TCI_REPLY_BYTES - FIRST_PART)

_Static_assert(SECOND_FRAME % TCI_FRAME_GRANULE == 0, "the first frame fills its granules");
_Static_assert(MEMORY_OFFSET % ALIGNMENT == 0,
               "memory in a ring is aligned as that of a block");

/* Returns whether the running function may have the context's own memory. */
static bool may_take_own(const tci_core *core)
{
    return !tci_tasks_may_wait(core) &&
           !tci_pending_has(&core->pending, TCI_BUILDING | TCI_FORKED);
}

/* The frame limit is 0 where anything else goes first. */
static bool take_in_ring(tci_reply_memory *memory, tc_ep *ep, const tci_route *route,
                         size_t size)
{
    tc_ep *to = tci_reply_ring_of(ep, route);
    if (to == NULL || to->tx.push != NULL || MEMORY_OFFSET + size >= to->tx.frame_limit)
        return false;
    uint8_t *frame = tci_frame_out_hold(to, &memory->hold, MEMORY_OFFSET + size);
    if (frame == NULL)
        return false;
    memory->bytes = frame + MEMORY_OFFSET;
    memory->ep = to;
    return true;
}

/* Returns the context's own memory, or NULL. */
static tci_reply_memory *take_own(tc_ep *ep, const tci_route *route, size_t size)
{
    tci_reply_memories *memories = &tci_calling_of(ep->core)->memories;
    if (!may_take_own(ep->core))
        return NULL;
    memories->own.is_block = false;
    memories->own.bytes = memories->bytes;
    memories->own.ep = NULL;
    return size <= sizeof memories->bytes || take_in_ring(&memories->own, ep, route, size)
               ? &memories->own
               : NULL;
}

static tci_reply_memory *allocate(size_t size)
{
    const size_t head = (sizeof(tci_reply_memory) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size > SIZE_MAX - head - ALIGNMENT)
        return NULL;
    tci_reply_memory *memory =
        aligned_alloc(ALIGNMENT, (head + size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
    if (memory == NULL)
        return NULL;
    memory->bytes = (uint8_t *)memory + head;
    memory->is_block = true;
    memory->ep = NULL;
    return memory;
}

tc_status tci_reply_memory_take(tc_ep *ep, tci_invocation *invocation, size_t size,
                                void **memory_out)
{
    TCI_INVARIANT(reply_memory, !invocation->begun && invocation->route.call != 0);
    if (!tci_reply_may_be(ep, &invocation->route, size))
        return TC_E_TOO_LARGE;
    tci_reply_memory *memory = take_own(ep, &invocation->route, size);
    if (memory == NULL && (memory = allocate(size)) == NULL)
        return TC_E_NO_MEMORY;
    memory->size = size;
    invocation->memory = memory;
    invocation->begun = true;
    *memory_out = memory->bytes;
    return TC_OK;
}

/* The two frames are written before the first one is published: the peer takes both at once. */
static void publish(tc_ep *to, uint8_t *first, const tci_route *route, size_t size)
{
    const size_t part = size < FIRST_PART ? size : FIRST_PART;
    uint8_t *second = first + SECOND_FRAME;
    tci_reply reply = tci_reply_head(to, route, TC_OK);
    reply.total = size;
    memcpy(second - FIRST_PART, first + MEMORY_OFFSET, FIRST_PART);
    tci_reply_encode(&reply, first + TCI_FRAME_HEADER_BYTES);
    reply.offset = part;
    tci_reply_encode(&reply, second + TCI_FRAME_HEADER_BYTES);
    tci_reply_publish(to, first, TCI_REPLY_BYTES + part);
    if (size > part)
        tci_reply_publish(to, second, TCI_REPLY_BYTES + size - part);
}

bool tci_reply_memory_commit(tci_invocation *invocation, size_t size)
{
    tci_reply_memory *memory = invocation->memory;
    tc_ep *to = memory->ep;
    if (to == NULL || memory->hold.frame == NULL || !tci_reply_may_leave(to))
        return false; /* frames or queued messages go first */
    TCI_INVARIANT_IS(reply_memory, size, <=, memory->size);
    tci_stream_fence();
    tci_reply_memory_give_back(invocation);
    publish(to, memory->hold.frame, &invocation->route, size);
    return true;
}

void tci_reply_memory_give_back(tci_invocation *invocation)
{
    tci_reply_memory *memory = invocation->memory;
    TCI_INVARIANT(reply_memory, invocation->begun);
    invocation->begun = false;
    if (memory->ep != NULL)
        tci_frame_out_release(memory->ep, &memory->hold);
    else if (memory->is_block)
        free(memory);
}
