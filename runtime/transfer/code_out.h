/* Code that a peer has asked for by NEED: it leaves in fragments beside the ring, for code_in.h
 * there.
 *
 * One function's at a time: a peer waits for one, so a later question replaces an earlier one,
 * which the peer has got from somebody else meanwhile. A few fragments are under way at once;
 * the next leaves when UCX has let go of one. So a peer that asks and does not read costs the
 * memory of those few, whatever it asks for. */
#ifndef TCI_CODE_OUT_H
#define TCI_CODE_OUT_H

#include "core/ep.h"

/* The peer wants the code with this id, and its signature if it was told of one. Passed over when no function that was announced to it
 * has this id: it may be an old question, and the function gone. */
void tci_code_out_begin(tc_ep *ep, const tci_content_id *id, bool with_signature);

/* Sends what may leave now. True: some is left, under TCI_WORK_LINK. */
bool tci_code_out_turn(tc_ep *ep);
/* Whether some may leave now. */
bool tci_code_out_may_leave(const tc_ep *ep);

/* After the link is closed. */
void tci_code_out_fini(tc_ep *ep);

#endif
