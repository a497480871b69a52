/* Messages that bring their code along and leave nothing behind. */
#ifndef TCI_INJECT_RUN_H
#define TCI_INJECT_RUN_H

#include "core/ep.h"

/* A call that can be made, once. */
typedef struct tci_injected_call {
    void (*main)(void *payload, size_t payload_size, void *target_args);
    uint8_t *payload;
    size_t payload_size;
} tci_injected_call;

/* Finds the payload of a checked INJECT frame and makes the code behind it callable. Statuses
 * of tci_injector_place; *broken_out: the peer names a place where no payload can lie. */
TC_MUST_CHECK tc_status tci_inject_prepare(tc_ep *ep, const tci_frame *f, uint8_t *frame,
                                           const tci_code_section *section,
                                           tci_injected_call *call_out, bool *broken_out,
                                           tc_error *err);

#endif
