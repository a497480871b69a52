/* The slots of calls that wait for a reply, with a list of the free ones. */
#ifndef TCI_CALL_TABLE_H
#define TCI_CALL_TABLE_H

#include "base/assertion.h"
#include "modules/calls/calls.h"

#include <stdlib.h>

struct tci_call {
    uint32_t generation;
    uint32_t next_free; /* a free slot's index + 1 */
    bool is_open;
    uint16_t index;       /* of its function */
    uint32_t path_length; /* of `path` */
    tc_call_callback done;
    void *user;
    void *result;
    size_t result_capacity;
    uint64_t received;
    uint64_t group;  /* id of the group that it was sent in; 0: no group, it cannot travel */
    const tc_ep *ep; /* the endpoint that it left by; NULL: that has ended */
    tc_ep *asked_by; /* its message started the call; NULL: no message, or it has ended */
    uint64_t deadline_ns;
    size_t in_fragments; /* bytes of its payload, if that left in fragments; or 0 */
    uint32_t *path;      /* of the reply's first part, when there are more parts; or NULL */
};

/* Opens a call with a new number. TC_E_AGAIN: TCI_CALLS_MAX calls wait. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_call_table_open(tci_calls *calls, tci_call **call_out,
                                            tc_call_id *id_out, tc_error *err);

/* Returns NULL: no such call waits any more. */
static inline tci_call *tci_call_table_find(tci_calls *calls, tc_call_id id)
{
    uint32_t place = (uint32_t)id;
    if (place == 0 || place > calls->places)
        return NULL;
    tci_call *call = &calls->table[place - 1];
    TCI_INVARIANT_IS(call_id, call - calls->table, ==, (ptrdiff_t)(uint32_t)id - 1);
    return call->is_open && call->generation == (uint32_t)(id >> 32) ? call : NULL;
}

static inline void tci_call_table_close(tci_calls *calls, tci_call *call)
{
    TCI_INVARIANT(call_open, call->is_open);
    TCI_INVARIANT_IS(call_table, calls->count, >, 0);
    call->is_open = false;
    free(call->path);
    call->path = NULL;
    call->next_free = calls->free;
    calls->free = (uint32_t)(call - calls->table) + 1;
    if (--calls->count == 0)
        calls->head.next_deadline_ns = UINT64_MAX;
}

#endif
