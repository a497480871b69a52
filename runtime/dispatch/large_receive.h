/* Putting payloads together that come in pieces. */
#ifndef TCI_LARGE_RECEIVE_H
#define TCI_LARGE_RECEIVE_H

#include "endpoint/ep.h"

/* Takes one PIECE frame's payload (judged by tci_frame_check). TC_OK: *complete_out tells
 * whether ep->assembly holds the whole payload now. TC_E_TOO_LARGE, TC_E_NO_MEMORY: said at the
 * first piece; the others of that payload are passed over. TC_E_CORRUPT: pieces that do not fit
 * together. */
TC_MUST_CHECK tc_status tci_large_receive(tc_ep *ep, const tci_frame *frame,
                                          const uint8_t *payload, bool *complete_out,
                                          tc_error *err);

/* The payload was used: ready for the next one. */
void tci_large_done(tc_ep *ep);

#endif
