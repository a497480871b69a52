/* The thread of the library that serves a context. */
#ifndef TCI_SERVING_H
#define TCI_SERVING_H

#include "context/context_object.h"

/* Ends the thread, if there is one, and if this is neither that thread nor a forked child. The
 * caller alone uses the context then. */
void tci_serving_end(tc_context *ctx);

#endif
