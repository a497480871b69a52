/* The connection of a steady endpoint: attempts, its loss, giving up. */
#ifndef STEADY_LINK_H
#define STEADY_LINK_H

#include "steady_state.h"

/* Plans the first attempt. */
void tcs_link_init(tc_steady *steady);

/* Finds the end of the connection: counts its loss, frees the endpoint, plans an attempt. */
void tcs_link_look(tc_steady *steady);

/* Makes an attempt if there is no connection and one is due; it blocks for attempt_timeout_ns
 * at most. */
void tcs_link_attempt(tc_steady *steady);

#endif
