/* Control frames: messages between two endpoints beside the messages of their users. */
#ifndef TCI_CONTROL_H
#define TCI_CONTROL_H

#include "core/ep.h"

/* Runs a control frame. `payload` is a private copy of f->payload_size bytes, which the peer
 * cannot change. TC_E_CORRUPT: the peer broke the format. Unknown controls are ignored. */
TC_MUST_CHECK tc_status tci_control_run(tc_ep *ep, const tci_frame *f, const uint8_t *payload,
                                        tc_error *err);

/* Copies the payload of a frame of `bytes` out of the ring, consumes the frame and runs it.
 * TC_E_CORRUPT: also a payload above TCI_CONTROL_PAYLOAD_MAX. */
TC_MUST_CHECK tc_status tci_control_take(tc_ep *ep, const tci_frame *f, const uint8_t *frame,
                                         size_t bytes, tc_error *err);

/* Answers the frame NEED. `payload` as above. */
void tci_control_need(tc_ep *ep, const tci_frame *f, const uint8_t *payload);

#endif
