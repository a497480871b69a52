/* Notifications from lower layers, the registry of functions and endpoints, to those above. */
#ifndef TCI_EVENTS_H
#define TCI_EVENTS_H

#include "context/context_object.h"

/* Connects the layers. TC_E_IO. */
TC_MUST_CHECK tc_status tci_events_connect(tc_context *ctx, tc_error *err);

#endif
