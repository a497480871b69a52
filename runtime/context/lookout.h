/* Polling between two turns, by a call that waits and keeps the processor. */
#ifndef TCI_LOOKOUT_H
#define TCI_LOOKOUT_H

#include "context/context_object.h"

/* Polls rings, and rests between polls as `manner` demands (TCI_WAIT_SPIN: not at all,
 * TCI_WAIT_PAUSE, TCI_WAIT_LINE), until a peer has stored a frame or some two microseconds are
 * over. Where work can come that no ring shows (by UCX, a connection, a thread; or `silent`:
 * the caller's condition) it rests once, for as long as a turn takes. */
void tci_lookout(tc_context *ctx, tci_wait_choice manner, bool silent);

#endif
