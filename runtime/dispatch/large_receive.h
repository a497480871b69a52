/* Payloads larger than a frame: assembles those that come in fragments, and finds those that
 * lie in memory as a whole. */
#ifndef TCI_LARGE_RECEIVE_H
#define TCI_LARGE_RECEIVE_H

#include "core/ep.h"

/* A whole payload that is ready for its function. */
typedef struct tci_payload {
    uint8_t *bytes; /* NULL: not whole yet */
    uint64_t size;
    bool assembled;   /* in ep->rx.assembly */
    bool out_of_line; /* came outside the ring, or would have */
} tci_payload;

/* Takes the payload of one FRAGMENT frame (checked by tci_frame_check). TC_OK: *whole_out
 * states whether the payload is whole now. TC_E_AGAIN: the frame has to wait for data that
 * comes outside the ring. TC_E_TOO_LARGE, TC_E_NO_MEMORY: returned once; the rest of that
 * payload is dropped. TC_E_CORRUPT: fragments that do not fit together. After TC_OK and
 * refusals the caller must call tci_large_done. */
TC_MUST_CHECK tc_status tci_large_receive(tc_ep *ep, const tci_frame *frame,
                                          const uint8_t *payload, tci_payload *whole_out,
                                          tc_error *err);

/* Frees the memory of an endpoint that is being freed. */
void tci_large_receive_free(tc_ep *ep);

/* Releases the payload that tci_large_receive returned, and prepares for the next one. */
void tci_large_done(tc_ep *ep, const tci_payload *whole);

#endif
