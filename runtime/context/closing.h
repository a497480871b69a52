/* Flushing and closing endpoints. */
#ifndef TCI_CLOSING_H
#define TCI_CLOSING_H

#include "context/context_object.h"

/* Closes all endpoints of the context as tc_ep_close does, or only those that lead to members
 * of a group, which then accepts no more. All together have the time of one. */
void tci_closing_all(tc_context *ctx, tc_group *group);

#endif
