/* Payloads larger than a frame: putting them together where they come in fragments, and finding
 * them where they lie whole. */
#ifndef TCI_LARGE_RECEIVE_H
#define TCI_LARGE_RECEIVE_H

#include "core/ep.h"

/* A whole payload, ready to be run on. */
typedef struct tci_payload {
    uint8_t *bytes; /* NULL: not whole yet */
    uint64_t size;
    bool assembled;   /* in ep->rx.assembly */
    bool out_of_line; /* came outside the ring, or would have */
} tci_payload;

/* Takes one FRAGMENT frame's payload (judged by tci_frame_check). TC_OK: *whole_out tells
 * whether that makes the payload whole. TC_E_AGAIN: the frame has to wait for what comes
 * outside the ring. TC_E_TOO_LARGE, TC_E_NO_MEMORY: said once; the rest of that payload is
 * passed over. TC_E_CORRUPT: fragments that do not fit together. After TC_OK and refusals
 * tci_large_done is owed. */
TC_MUST_CHECK tc_status tci_large_receive(tc_ep *ep, const tci_frame *frame,
                                          const uint8_t *payload, tci_payload *whole_out,
                                          tc_error *err);

/* Of an endpoint that is being freed. */
void tci_large_receive_free(tc_ep *ep);

/* What it gave was used: ready for the next one. */
void tci_large_done(tc_ep *ep, const tci_payload *whole);

#endif
