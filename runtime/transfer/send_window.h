/* Data that was sent beside the ring and is not free yet. Each part belongs to a frame in the
 * ring, and is released when the peer has consumed that frame. */
#ifndef TCI_SEND_WINDOW_H
#define TCI_SEND_WINDOW_H

#include "base/assertion.h"

#include <stdbool.h>
#include <stdint.h>

#define TCI_SEND_WINDOW_PARTS 8u

typedef struct tci_send_window {
    struct {
        uint64_t position; /* in the ring, behind the frame */
        uint64_t bytes;
    } parts[TCI_SEND_WINDOW_PARTS];
    unsigned first;
    unsigned count;
    uint64_t bytes; /* of all parts */
} tci_send_window;

static inline bool tci_send_window_is_full(const tci_send_window *w)
{
    return w->count == TCI_SEND_WINDOW_PARTS;
}

static inline void tci_send_window_add(tci_send_window *w, uint64_t position, uint64_t bytes)
{
    TCI_INVARIANT_IS(window_parts, w->count, <, TCI_SEND_WINDOW_PARTS);
    unsigned at = (w->first + w->count++) % TCI_SEND_WINDOW_PARTS;
    TCI_INVARIANT(
        window_order,
        w->count == 1 ||
            w->parts[(at + TCI_SEND_WINDOW_PARTS - 1) % TCI_SEND_WINDOW_PARTS].position <
                position);
    w->parts[at].position = position;
    w->parts[at].bytes = bytes;
    w->bytes += bytes;
    TCI_INVARIANT_IS(window_bytes, w->bytes, >=, bytes);
}

static inline void tci_send_window_release(tci_send_window *w, uint64_t consumed)
{
    while (w->count > 0 && w->parts[w->first].position <= consumed) {
        TCI_INVARIANT_IS(window_bytes, w->bytes, >=, w->parts[w->first].bytes);
        w->bytes -= w->parts[w->first].bytes;
        w->first = (w->first + 1) % TCI_SEND_WINDOW_PARTS;
        w->count--;
    }
    TCI_INVARIANT_IS(window_parts, w->count, <=, TCI_SEND_WINDOW_PARTS);
    TCI_INVARIANT(window_bytes, w->count > 0 || w->bytes == 0);
}

/* Returns the position that the peer has to consume before a part becomes free; UINT64_MAX: no
 * part is in use. */
static inline uint64_t tci_send_window_awaited(const tci_send_window *w)
{
    TCI_INVARIANT(window_order,
                  w->count < 2 ||
                      w->parts[w->first].position <
                          w->parts[(w->first + 1) % TCI_SEND_WINDOW_PARTS].position);
    return w->count > 0 ? w->parts[w->first].position : UINT64_MAX;
}

#endif
