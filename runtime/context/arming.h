/* Arms doorbells before a sleep, so that peers wake this side (core/doorbell.h). */
#ifndef TCI_ARMING_H
#define TCI_ARMING_H

#include "context/context_object.h"

/* Arms the doorbells. Returns false if UCX or a peer cannot wake this side. */
bool tci_arming_arm(tc_context *ctx);

/* Returns whether there is work: asked between the barrier and the sleep. `asks`: as for
 * tci_network_arm. */
bool tci_arming_finds_work(tc_context *ctx, bool asks);

/* Clears the doorbells: this side polls again, so peers need not ring any more. */
void tci_arming_disarm(tc_context *ctx);

#endif
