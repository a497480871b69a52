/* The thread by which a context serves itself. */
#ifndef TCI_SERVING_H
#define TCI_SERVING_H

#include "context/context_object.h"

/* Ends it, if there is one, and if this is neither that thread nor a fork: the context is the
 * caller's alone then. */
void tci_serving_end(tc_context *ctx);

#endif
