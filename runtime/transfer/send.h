/* Sending from the inside: control frames and what waits for room. tc_send itself is in
 * <tc/ifunc.h>. */
#ifndef TCI_SEND_H
#define TCI_SEND_H

#include "core/ep.h"

#define TCI_CONTROL_PAYLOAD_MAX 1024u

/* Sends a control frame, or queues it in front of everything that waits: it may use the ring's
 * reserve. A frame for which there is no memory ends the endpoint. payload_size <=
 * TCI_CONTROL_PAYLOAD_MAX. */
void tci_send_control(tc_ep *ep, tci_control control, uint16_t slot, const void *payload,
                      size_t payload_size);

/* Publishes a frame that was reserved and filled, and has the delivery carry it. */
void tci_send_commit(tc_ep *ep, uint8_t *frame, uint64_t bytes, const tci_frame *header);

/* Makes sure that the peer knows the function, without calling it. TC_E_AGAIN: no room. */
TC_MUST_CHECK tc_status tci_send_binding(tc_ep *ep, tc_ifunc *fn);

/* Has the peer make fn callable, and say so. TC_E_AGAIN, TC_E_REFUSED. */
TC_MUST_CHECK tc_status tci_send_prepare(tc_ep *ep, tc_ifunc *fn);

/* Sends what waits, in order, as far as there is room. */
void tci_send_queued(tc_ep *ep);

/* Sends an answer in as many frames as it takes, or queues those that find no room; `data` is
 * copied. Of *reply, total and offset are set here. TC_E_TOO_LARGE: above the option
 * send_queue_bytes. TC_E_AGAIN: that many answers wait already. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_send_reply(tc_ep *ep, tci_reply *reply, const uint32_t *path,
                                       const void *data, size_t size);

#endif
