/* Blocking calls that the program may end before their deadlines, by a callback. */
#ifndef TCI_INTERRUPT_H
#define TCI_INTERRUPT_H

#include "base/patience.h"
#include "context/context_object.h"

/* Returns the patience of a call that begins now. */
tci_patience tci_interrupt_patience(tc_context *ctx, uint64_t timeout_ns);

#endif
