/* A message on its way into a ring or the queue, from any of the sending calls. */
#ifndef TCI_OUTGOING_H
#define TCI_OUTGOING_H

#include "core/ep.h"
#include "wire/route.h"

typedef struct tci_outgoing {
    tc_ifunc *fn;
    const void *args;
    size_t args_size;
    size_t payload_size;     /* including its route */
    const tci_route *route;  /* appended to the payload, or NULL */
    bool routed;             /* has a route, here or at the end of args */
    bool built;              /* args is the payload itself */
    bool with_code;          /* even if the peer has the code */
    bool bind_only;          /* binds the function without a call */
    bool notify;             /* with bind_only: the peer reports when it is callable */
    const uint8_t *injected; /* code for this call only (transfer/inject_send.h), or NULL */
    size_t injected_size;
} tci_outgoing;

/* Sets payload_size, for which a function that makes its payload is loaded. TC_E_PAYLOAD: no
 * memory has the size that it asks for. TC_E_UNSUPPORTED: only the original's API can send it.
 * Statuses of tci_ifunc_load. */
TC_MUST_CHECK tc_status tci_outgoing_measure(tci_outgoing *out, tc_error *err);

/* Copies or makes the payload. core NULL: no other send can be disturbed. TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_outgoing_fill(tci_core *core, const tci_outgoing *out,
                                          uint8_t *payload);

#endif
