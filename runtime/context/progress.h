/* The turns of tc_progress. */
#ifndef TCI_PROGRESS_H
#define TCI_PROGRESS_H

#include "context/context_object.h"

/* Descriptors and deadlines are looked at this often, if there is a turn. */
#define TCI_SERVICE_INTERVAL_NS 1000000ull

/* tc_progress by whoever may: the owner of the context, or the thread that serves it. */
unsigned tci_progress_turn(tc_context *ctx);

/* Progress that looks at everything, for calls that block. */
unsigned tci_progress_all(tc_context *ctx);

/* Calls the program for the end of an endpoint that it may know, unless it was called. */
void tci_progress_tell_end(tc_context *ctx, tc_ep *ep, tc_ep_event event);

#endif
