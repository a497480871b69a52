/* What lower layers tell those above them: the registry of functions, and endpoints. */
#ifndef TCI_EVENTS_H
#define TCI_EVENTS_H

#include "context/context_object.h"

/* Connects the layers. TC_E_IO. */
TC_MUST_CHECK tc_status tci_events_connect(tc_context *ctx, tc_error *err);
/* Loader threads have finished something. */
void tci_events_note_loads(tc_context *ctx);

#endif
