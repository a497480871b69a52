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
    bool announce;           /* with bind_only: the peer says when it is callable */
    const uint8_t *injected; /* or NULL: code for this one call, see ifunc/inject_section.h */
    size_t injected_size;
} tci_outgoing;

/* Sets payload_size; functions that make their payload are loaded for that. Statuses of
 * tci_ifunc_load. */
TC_MUST_CHECK tc_status tci_outgoing_measure(tci_outgoing *out, tc_error *err);

/* Copies or makes the payload. core NULL: nothing else can be disturbed. TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_outgoing_fill(tci_core *core, const tci_outgoing *out,
                                          uint8_t *payload);

/* The same, in a frame that is reserved. */
TC_MUST_CHECK tc_status tci_outgoing_fill_frame(tc_ep *ep, const tci_outgoing *out,
                                                uint8_t *payload);

/* Sends it now, in one frame. TC_E_AGAIN: no room. */
TC_MUST_CHECK tc_status tci_outgoing_send_frame(tc_ep *ep, const tci_outgoing *out);

/* It leaves when those that wait before it have. TC_E_AGAIN: the queue is full. */
TC_MUST_CHECK tc_status tci_outgoing_queue(tc_ep *ep, const tci_outgoing *out);

/* Sends it in its turn, or queues it: when an ifunc sends it and there is no room, when it has
 * a route and is large, and on an endpoint of a group that is not open yet. Statuses of
 * tc_send.
 */
TC_MUST_CHECK tc_status tci_outgoing_send(tc_ep *ep, tci_outgoing *out);

/* The same for a payload that is made, with a route behind it. */
TC_MUST_CHECK tc_status tci_outgoing_send_routed(tc_ep *ep, tc_ifunc *fn,
                                                 const tci_route *route, const void *payload,
                                                 size_t size);

#endif
