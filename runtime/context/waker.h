/* Waking a context from another thread or a signal handler. */
#ifndef TCI_WAKER_H
#define TCI_WAKER_H

#include "context/context_object.h"

/* Makes the eventfd that tc_wake writes to, and watches it, so that it ends a sleep.
 * TC_E_IO. */
TC_MUST_CHECK tc_status tci_waker_init(tc_context *ctx, tc_error *err);
void tci_waker_fini(tc_context *ctx);

/* Called after tc_wake: the next tc_wait returns. */
void tci_waker_note_wake(tc_context *ctx);

/* Called after a guest has ended the sleep of the serving thread. */
void tci_waker_note_guest(tc_context *ctx);

/* Called after loader threads have finished a load, which housekeeping takes. */
void tci_waker_note_loads(tc_context *ctx);

#endif
