/* The memory of a window that peers map: a segment, with a mark in front that only this one
 * has. The number of a segment comes from a peer, and may be that of any other: so a peer that
 * maps one compares the mark before it writes anything. */
#ifndef TCI_WINDOW_SHARE_H
#define TCI_WINDOW_SHARE_H

#include "delivery/segment.h"

#include <tc/window.h>

#define TCI_WINDOW_RIGHTS                                                                      \
    (TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC | TC_WINDOW_ALLOCATE)
#define TCI_WINDOW_MARK_BYTES 24u
#define TCI_WINDOW_SHARE_BYTES (16u + TCI_WINDOW_MARK_BYTES) /* of a description that travels */

/* The description of a window to map. */
typedef struct tci_window_share {
    uint32_t segment;
    uint32_t rights; /* TC_WINDOW_ bits */
    uint64_t bytes;  /* of the window */
    uint8_t mark[TCI_WINDOW_MARK_BYTES];
} tci_window_share;

/* Makes zeroed memory for a window. TC_E_NO_MEMORY, TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_window_share_create(uint64_t bytes, tci_segment *segment_out,
                                                tc_error *err);

/* Returns the memory of the window in a segment. */
uint8_t *tci_window_share_memory(const tci_segment *segment);

void tci_window_share_encode(const tci_segment *segment, uint32_t rights, uint64_t bytes,
                             uint8_t out[TCI_WINDOW_SHARE_BYTES]);
/* TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_window_share_decode(const uint8_t in[TCI_WINDOW_SHARE_BYTES],
                                                tci_window_share *share_out, tc_error *err);

/* Attaches a peer's segment: read-only, unless the rights say otherwise. TC_E_UNSUPPORTED: it
 * is not here, not this user's, or another one. */
TC_MUST_CHECK tc_status tci_window_share_attach(const tci_window_share *share,
                                                tci_segment *segment_out, tc_error *err);

#endif
