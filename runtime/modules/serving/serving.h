/* The thread of the library that serves a context. */
#ifndef TCI_SERVING_H
#define TCI_SERVING_H

#include "context/guests.h"

/* tci_guests_ops.end. */
void tci_serving_end(tc_context *ctx);

#endif
