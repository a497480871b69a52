/* The module's state in a context. */
#ifndef TCI_CALLING_H
#define TCI_CALLING_H

#include "rpc/calls.h"
#include "group/groups.h"
#include "rpc/local_reply.h"

typedef struct tci_calling {
    tci_calls calls;
    tci_groups groups;
    tci_local_replies replies;
} tci_calling;

void tci_calling_init(tci_calling *calling);
/* Frees all of it. No endpoint leads to a member of a group any more. */
void tci_calling_fini(tci_calling *calling);

static inline tci_calling *tci_calling_of(const tci_core *core)
{
    return (tci_calling *)(void *)core->calls;
}

#endif
