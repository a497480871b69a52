/* Blocking calls that the program may end before their deadlines: what it is asked. */
#ifndef TCI_INTERRUPT_H
#define TCI_INTERRUPT_H

#include "base/patience.h"
#include "context/context_object.h"

/* That of a call which begins now. */
tci_patience tci_interrupt_patience(tc_context *ctx, uint64_t timeout_ns);

#endif
