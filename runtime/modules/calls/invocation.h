/* The operations of the module on messages that have a route. */
#ifndef TCI_INVOCATION_H
#define TCI_INVOCATION_H

#include "core/calls_ops.h"

/* The functions are those of tci_calls_ops, where their contract is. */
void tci_invocation_end(tci_invocation *invocation, tc_ep *ep);
void tci_invocation_refuse(tc_ep *ep, uint8_t flags, const uint8_t *payload, size_t size,
                           const tc_error *error);
/* Handles a whole answer in its short form, which went well. */
void tci_invocation_answer(tc_ep *ep, uint64_t call, const uint8_t *answer, size_t size);
void tci_invocation_refused(tc_ep *ep, uint16_t slot, bool payload_only);
TC_MUST_CHECK tc_status tci_invocation_reply(tc_ep *ep, uint8_t flags, const uint8_t *payload,
                                             size_t size, tc_error *err);

#endif
