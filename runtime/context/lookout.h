/* What a call that waits and keeps the processor does between two turns. */
#ifndef TCI_LOOKOUT_H
#define TCI_LOOKOUT_H

#include "context/context_object.h"

/* Looks at rings, and rests between looks as the manner says (TCI_WAIT_SPIN: not at all,
 * TCI_WAIT_PAUSE, TCI_WAIT_LINE), until a peer has stored something or some two microseconds are
 * over. Where something can come that no ring shows (by UCX, a connection, a thread; or `silent`:
 * what the caller waits for) it rests once, for as long as a turn takes. */
void tci_lookout(tc_context *ctx, tci_wait_choice manner, bool silent);

#endif
