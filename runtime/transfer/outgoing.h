/* A message on its way into a ring or the queue, from any of the sending calls.
 *
 * A route comes as bytes: only the two calls that make one know its parts. */
#ifndef TCI_OUTGOING_H
#define TCI_OUTGOING_H

#include "core/ep.h"

#include <sys/uio.h>

/* The purpose of a message, which decides whether its code goes along. */
typedef enum tci_outgoing_kind {
    TCI_OUT_CALL = 0,  /* calls the function; the code goes along if the peer lacks it */
    TCI_OUT_WITH_CODE, /* the same, with the code even if the peer has it */
    TCI_OUT_INJECT,    /* calls the code in `injected`, which serves this call only */
    TCI_OUT_BIND,      /* binds the function without a call */
    TCI_OUT_PREPARE    /* the same, and the peer reports when it is callable */
} tci_outgoing_kind;

typedef struct tci_span {
    const void *bytes;
    size_t size;
} tci_span;

typedef struct tci_outgoing {
    tc_ifunc *fn;
    const void *args;
    size_t args_size;
    size_t payload_size; /* including its tail */
    tci_outgoing_kind kind;
    bool built;         /* args is the payload itself */
    bool made;          /* NAME_payload_init makes the payload: tci_outgoing_measure */
    uint8_t flags;      /* the frame's; TCI_ROUTED: the tail, or the end of args, is a route */
    uint8_t part_count; /* of `parts`: at most TC_SEND_PARTS_MAX */
    tci_span tail;      /* appended to the payload */
    const struct iovec *parts; /* the payload is these, one behind the other, or NULL */
    tci_span injected;         /* of INJECT: tci_inject_section */
} tci_outgoing;

/* Sets `made` and payload_size, for which a function that makes its payload is loaded.
 * Statuses of tci_ifunc_load_max_size. */
TC_MUST_CHECK tc_status tci_outgoing_measure(tci_outgoing *out, tc_error *err);

/* Copies or makes the payload. While it is made, nothing else may be sent by ep (NULL: no
 * endpoint can be disturbed). TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_outgoing_fill(tc_ep *ep, const tci_outgoing *out, uint8_t *payload);
/* The same, to memory at the function's alignment, which the caller frees. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_outgoing_copy(tc_ep *ep, const tci_outgoing *out,
                                          uint8_t **payload_out);

#endif
