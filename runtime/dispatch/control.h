/* Control frames: what two endpoints tell each other beside the messages of their users. */
#ifndef TCI_CONTROL_H
#define TCI_CONTROL_H

#include "core/ep.h"

/* `payload` is a copy that the peer does not change any more, f->payload_size bytes of it.
 * TC_E_CORRUPT: the peer broke the format. What is unknown here is passed over. */
TC_MUST_CHECK tc_status tci_control_run(tc_ep *ep, const tci_frame *f, const uint8_t *payload,
                                        tc_error *err);

#endif
