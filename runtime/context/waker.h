/* Waking a context from elsewhere. */
#ifndef TCI_WAKER_H
#define TCI_WAKER_H

#include "context/context_object.h"

/* Makes what tc_wake writes to, and has a sleep end with it. TC_E_IO. */
TC_MUST_CHECK tc_status tci_waker_init(tc_context *ctx, tc_error *err);
void tci_waker_fini(tc_context *ctx);

/* Somebody has called tc_wake: the next tc_wait returns. */
void tci_waker_note_wake(tc_context *ctx);

/* A guest has ended the sleep of the thread that serves the context. */
void tci_waker_note_guest(tc_context *ctx);

#endif
