/* Copies a payload into a frame in the order by which the consumer has it soonest.
 *
 * The consumer of a ring polls the line of the next frame's signal, and fetches the frame's
 * other lines meanwhile (core/awaited_frame.h). So it takes a line away from the producer that
 * has just begun to write there. An awaited frame is therefore written from its end to its
 * beginning, each byte once: each line changes hands once, the line of the signal last. memcpy
 * stores some bytes twice, and with it the fetching costs more than it saves.
 * docs/decisions/direct-rate.md has the figures.
 *
 * Where messages follow one another no single one is awaited, and ascending stores are faster.
 * The first message of a turn is taken for an awaited one, as in send_short (send.c). */
#ifndef TCI_FRAME_COPY_H
#define TCI_FRAME_COPY_H

#include "base/small_copy.h"
#include "core/ep.h"

/* Up to this many bytes the order of the stores is worth the loop. */
#define TCI_FRAME_COPY_MAX 320u
#define TCI_FRAME_COPY_STEP 16u

/* n: TCI_FRAME_COPY_STEP to TCI_FRAME_COPY_MAX. */
static inline void tci_frame_copy_descending(uint8_t *to, const uint8_t *from, size_t n)
{
    memcpy(to + n - TCI_FRAME_COPY_STEP, from + n - TCI_FRAME_COPY_STEP, TCI_FRAME_COPY_STEP);
    for (size_t at = (n - 1) / TCI_FRAME_COPY_STEP; at > 0; at--) {
        const size_t offset = (at - 1) * TCI_FRAME_COPY_STEP;
        memcpy(to + offset, from + offset, TCI_FRAME_COPY_STEP);
        __asm__ volatile("" ::: "memory"); /* keeps the order, and the loop out of memmove */
    }
}

/* n: TCI_FRAME_COPY_STEP or more, also in steps. Calls nothing, so its caller saves nothing. */
static inline void tci_frame_copy_ascending(uint8_t *to, const uint8_t *from, size_t n)
{
    for (size_t at = 0; at + TCI_FRAME_COPY_STEP < n; at += TCI_FRAME_COPY_STEP) {
        memcpy(to + at, from + at, TCI_FRAME_COPY_STEP);
        __asm__ volatile("" ::: "memory"); /* keeps the loop out of memmove */
    }
    memcpy(to + n - TCI_FRAME_COPY_STEP, from + n - TCI_FRAME_COPY_STEP, TCI_FRAME_COPY_STEP);
}

/* Copies any number of bytes; 0 also of or to NULL. */
static inline void tci_frame_copy(tc_ep *ep, uint8_t *to, const void *from, size_t n)
{
    if (n <= TCI_SMALL_COPY_MAX) {
        tci_small_copy(to, from, n);
    } else if (n > TCI_FRAME_COPY_MAX || ep->tx.used) {
        memcpy(to, from, n);
    } else {
        tci_ep_note_use(ep);
        tci_frame_copy_descending(to, from, n);
    }
}

#endif
