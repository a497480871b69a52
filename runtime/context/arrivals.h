/* Arrivals by active message: frames, credit, code, payloads and hellos. */
#ifndef TCI_ARRIVALS_H
#define TCI_ARRIVALS_H

#include "context/context_object.h"

/* The worker's handlers; `user` is the context. */
void tci_arrivals_take(void *user, tci_am kind, const tci_am_header *header,
                       const uint8_t *bytes, size_t size);
bool tci_arrivals_take_payload(void *user, const tci_payload_header *header, size_t size,
                               tci_sink *sink_out);

/* Sets up the inbox, whose hellos housekeeping handles. */
void tci_arrivals_init(tc_context *ctx);
/* Frees the hellos that still wait. */
void tci_arrivals_free(tc_context *ctx);

#endif
