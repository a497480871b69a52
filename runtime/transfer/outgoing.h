/* A message on its way into a ring or the queue, whatever call it comes from. */
#ifndef TCI_OUTGOING_H
#define TCI_OUTGOING_H

#include "core/ep.h"
#include "wire/route.h"

typedef struct tci_outgoing {
    tc_ifunc *fn;
    const void *args;
    size_t args_size;
    size_t payload_size;     /* its route included */
    const tci_route *route;  /* that goes behind the payload, or NULL */
    bool routed;             /* has one, here or at the end of args */
    bool built;              /* args is the payload itself */
    bool with_code;          /* though the peer knows it */
    bool bind_only;          /* no call */
    bool notify;             /* with bind_only: the peer says when it is callable */
    const uint8_t *injected; /* or NULL: code for this one call, see transfer/inject_send.h */
    size_t injected_size;
} tci_outgoing;

/* Sets payload_size; functions that make their payload are loaded for that. TC_E_PAYLOAD: no
 * memory has the size that they ask for. Statuses of tci_ifunc_load. */
TC_MUST_CHECK tc_status tci_outgoing_measure(tci_outgoing *out, tc_error *err);

/* Copies or makes the payload. core NULL: nothing else can be disturbed. TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_outgoing_fill(tci_core *core, const tci_outgoing *out,
                                          uint8_t *payload);

#endif
