/* The turns of tc_progress. */
#ifndef TCI_PROGRESS_H
#define TCI_PROGRESS_H

#include "context/context_object.h"

/* tc_progress by the owner of the context, or by the thread that serves it. */
unsigned tci_progress_turn(tc_context *ctx);

/* Progress that checks everything, for calls that block. */
unsigned tci_progress_all(tc_context *ctx);

#endif
