/* Calls of this context that wait for a reply.
 *
 * A call's id is its place and a random number that is drawn whenever the place is given out, so
 * a reply that comes late finds nothing and touches nothing, and nobody who was not told the id
 * knows it. */
#ifndef TCI_CALLS_H
#define TCI_CALLS_H

#include "base/random_words.h"
#include "core/core.h"
#include "wire/route.h"

#include <stdbool.h>
#include <tc/call.h>

typedef struct tci_call tci_call;

typedef struct tci_calls {
    tci_call *table;
    size_t places;
    size_t count;
    uint32_t free;             /* a place + 1; 0: none */
    uint64_t next_deadline_ns; /* no call ends before; UINT64_MAX: there is none */
    tci_random_words random;
} tci_calls;

/* Who answers. Neither: this context itself, to a call of its own. */
typedef struct tci_answerer {
    const tc_ep *ep;
    const tc_group *group;
} tci_answerer;

void tci_calls_init(tci_calls *calls);
/* Forgets a call without a word. TC_E_NOT_FOUND. */
TC_MUST_CHECK tc_status tci_calls_cancel(tci_calls *calls, tc_call_id id);
/* Ends all calls that are left: the context is about to go. */
void tci_calls_end(tci_core *core);
/* Forgets all calls without a word. */
void tci_calls_fini(tci_calls *calls);

/* A part of a reply. Whatever it says, only its own call is touched, and only by whom that was
 * sent to: the endpoint that it left by, or any member of the group that it travels in. */
void tci_calls_answer(tci_core *core, const tci_answerer *by, const tci_reply *reply,
                      const uint8_t *path, const uint8_t *part, size_t part_size);

/* Ends those whose deadline has passed. */
void tci_calls_expire(tci_core *core, uint64_t now_ns);

/* ep has ended: nobody answers by it. Calls that may have travelled on from there have a second
 * more, in case another member has them. */
void tci_calls_lose(tci_core *core, const tc_ep *ep, const tc_error *error);

/* The peer does not run the function of this index. Who gets a small payload says so to its
 * origin; of one in fragments it never sees the route, so those calls end here. */
void tci_calls_refused(tci_core *core, const tc_ep *ep, uint16_t index, const tc_error *error);

/* The peer has not taken a payload for that function, which is too large there: that of the
 * largest call that is under way, as whatever is refused after it is smaller. */
void tci_calls_too_large(tci_core *core, const tc_ep *ep, uint16_t index,
                         const tc_error *error);

#endif
