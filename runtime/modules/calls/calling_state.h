/* The module's state in a context. */
#ifndef TCI_CALLING_STATE_H
#define TCI_CALLING_STATE_H

#include "modules/calls/calls.h"
#include "modules/calls/groups.h"
#include "modules/calls/local_reply.h"
#include "modules/calls/reply_memory.h"

typedef struct tci_calling {
    tci_calls calls;
    tci_groups groups;
    tci_local_replies replies;
    tci_reply_memories memories;
} tci_calling;

static inline tci_calling *tci_calling_of(const tci_core *core)
{
    return (tci_calling *)(void *)core->calls;
}

#endif
