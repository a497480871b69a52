/* Flushing and closing endpoints. */
#ifndef TCI_CLOSING_H
#define TCI_CLOSING_H

#include "context/context_object.h"

/* How long a goodbye may take, of however many endpoints. */
#define TCI_GOODBYE_NS 100000000ull

/* Frees it, at the deadline at the latest; says goodbye first if there is somebody to say it
 * to. */
void tci_closing_end(tc_ep *ep, uint64_t deadline_ns);

/* Does what tc_ep_close does with all endpoints of the context, or only with those that lead to
 * members of a group, which then takes no more. All together have the time that one has. */
void tci_closing_all(tc_context *ctx, tc_group *group);

#endif
