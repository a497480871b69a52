/* Makes and frees the module's state. */
#ifndef TCI_CALLING_H
#define TCI_CALLING_H

#include "modules/calls/calling_state.h"

void tci_calling_init(tci_calling *calling);
/* Frees all of it. No endpoint leads to a member of a group any more. */
void tci_calling_fini(tci_calling *calling);

#endif
