/* Calls of this context that wait for a reply.
 *
 * A call's id is its slot and a random number that is drawn whenever the slot is given out. A
 * late reply therefore finds no call and changes nothing, and only processes that received the
 * id know it. */
#ifndef TCI_CALLS_H
#define TCI_CALLS_H

#include "base/random_words.h"
#include "core/calls_ops.h"

#include <stdbool.h>
#include <tc/call.h>

/* Calls of one context that wait at a time. */
#define TCI_CALLS_MAX (1u << 18)

typedef struct tci_call tci_call;

typedef struct tci_calls {
    struct tci_calls_head head;
    tci_call *table;
    size_t places;
    size_t count;
    uint32_t free; /* a free slot's index + 1; 0: all are taken */
    tci_random_words random;
} tci_calls;

static inline tci_calls *tci_calls_of(const tci_core *core)
{
    return (tci_calls *)(void *)core->calls;
}

/* The sender of a reply: an endpoint, and the group that it leads to. Neither: this context
 * itself, to a call of its own. */
typedef struct tci_answerer {
    const tc_ep *ep;
    const tc_group *group;
} tci_answerer;

void tci_calls_init(tci_calls *calls);
/* Forgets a call without calling it back. TC_E_NOT_FOUND. */
TC_MUST_CHECK tc_status tci_calls_cancel(tci_calls *calls, tc_call_id id);
/* Ends all calls that are left, before the context is destroyed. */
void tci_calls_end(tci_core *core);
/* Forgets all calls without calling them back. */
void tci_calls_fini(tci_calls *calls);

/* Handles a part of a reply. Any content changes only the call that it names, and only if it
 * comes from the endpoint that the call left by or from a member of the group that it travels
 * in. */
void tci_calls_answer(tci_core *core, const tci_answerer *by, const tci_reply *reply,
                      const uint8_t *path, const uint8_t *part, size_t part_size);

/* The same for a whole answer, which went well, of the peer that the call left for. */
void tci_calls_answer_whole(tci_core *core, const tci_answerer *by, tc_call_id id,
                            const uint8_t *answer, size_t size);

/* Ends the calls that have passed their deadline. */
void tci_calls_expire(tci_core *core, uint64_t now_ns);

/* Ends the calls that left by `ep`, which has ended. Calls that may have travelled on from
 * there get one more second, in case another member has them. */
void tci_calls_lose(tci_core *core, const tc_ep *ep, const tc_error *error);

/* Ends calls in fragments to the function of this index, which the peer does not run. The peer
 * itself replies to the origin of a small payload, but never sees the route of one in
 * fragments. */
void tci_calls_refused(tci_core *core, const tc_ep *ep, uint16_t index, const tc_error *error);

/* Ends the largest call in fragments to that function: the peer has refused a payload as too
 * large, and any that it refuses later is smaller. */
void tci_calls_too_large(tci_core *core, const tc_ep *ep, uint16_t index,
                         const tc_error *error);

#endif
