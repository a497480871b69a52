/* Code that a peer has requested by NEED. It is sent in fragments beside the ring; code_in.h
 * receives it.
 *
 * The code of one function is sent at a time: a peer waits for one, so a later request replaces
 * an earlier one: the peer has received that code from another source meanwhile. A few
 * fragments are under way at once; the next one is sent when UCX has finished one. So a peer
 * that requests code and does not read costs the memory of those few, whatever it requests. */
#ifndef TCI_CODE_OUT_H
#define TCI_CODE_OUT_H

#include "core/ep.h"

/* Called when the peer requests the code with this id, and its signature if that was announced
 * to it. Ignores the request if no function that was announced to the peer has this id: the
 * request may be old, and the function gone. */
void tci_code_out_begin(tc_ep *ep, const tci_content_id *id, bool with_signature);

/* Sends the fragments that may leave now. True: some are left, under TCI_WORK_LINK. */
bool tci_code_out_turn(tc_ep *ep);
/* Returns whether a fragment may leave now. */
bool tci_code_out_may_leave(const tc_ep *ep);

/* Called after the link is closed. */
void tci_code_out_fini(tc_ep *ep);

#endif
