/* Flushing and closing endpoints. */
#ifndef TCI_CLOSING_H
#define TCI_CLOSING_H

#include "context/context_object.h"

/* How long a goodbye may take, of however many endpoints. */
#define TCI_GOODBYE_NS 100000000ull

/* Frees one that was closed inside a function or a callback, or has ended, at the deadline at the
 * latest. Flushes it as far as that needs nobody to run here, and says goodbye, if there is somebody
 * to say it to: not in order if messages may be lost. */
void tci_closing_end(tc_ep *ep, uint64_t deadline_ns);

/* Does what tc_ep_close does with all endpoints of the context, or only with those that lead to
 * members of a group, which then takes no more. All together have the time that one has. */
void tci_closing_all(tc_context *ctx, tc_group *group);

#endif
