/* Units that others send: from a message to the function's run, and to the answer. */
#ifndef TCA_AM_TARGET_H
#define TCA_AM_TARGET_H

#include "am_state.h"

/* The entry of the library's own function: registered operations, and questions about
 * windows. */
void tca_target_main(void *payload, size_t payload_size, void *target_args);

/* Fills the table of functions that travel. */
void tca_target_fill(tc_am_node *node_out);

#endif
