/* Flushing and closing endpoints. */
#ifndef TCI_CLOSING_H
#define TCI_CLOSING_H

#include "context/context_object.h"

/* Closes all endpoints of the context as tc_ep_close does, or only those that lead to members
 * of `group`. All together have the time of one. `*said_out` (NULL: unwanted) is set after the
 * goodbyes, before the first endpoint is freed. */
void tci_closing_all(tc_context *ctx, const tc_group *group, bool *said_out);

/* Closes all endpoints of the context as tc_ep_finish does, within timeout_ns together. */
TC_MUST_CHECK tc_status tci_closing_finish_all(tc_context *ctx, uint64_t timeout_ns,
                                               uint64_t *lost_out, tc_error *err);

#endif
