/* Lines of a frame that is awaited, behind that of its signal. A turn that finds no frame
 * fetches them: so they are on their way as soon as the producer writes them, and in time when
 * the signal has come. The frame is the next one of the ring that was read last, if a single
 * frame came there, and is expected to be as long. transfer/frame_copy.h has the other side. */
#ifndef TCI_AWAITED_FRAME_H
#define TCI_AWAITED_FRAME_H

#include "ring/consumer.h"

#define TCI_AWAITED_FRAME_LINE ((uintptr_t)64)
/* Fetching a longer frame costs more than it saves. */
#define TCI_AWAITED_FRAME_MAX 384u

typedef struct tci_awaited_frame {
    uintptr_t from, end; /* of the lines; from >= end: no line */
} tci_awaited_frame;

/* Awaits a frame of `bytes`; 0: no frame. */
static inline void tci_awaited_frame_set(tci_awaited_frame *awaited, const tci_consumer *ring,
                                         uint64_t bytes)
{
    if (__builtin_expect(bytes > TCI_FRAME_GRANULE && bytes <= TCI_AWAITED_FRAME_MAX, 0)) {
        const uintptr_t frame = (uintptr_t)(ring->ring + (ring->head & ring->mask));
        awaited->from = (frame | (TCI_AWAITED_FRAME_LINE - 1)) + 1;
        awaited->end = frame + bytes;
    } else if (awaited->end != 0) {
        awaited->end = 0;
    }
}

static inline void tci_awaited_frame_fetch(const tci_awaited_frame *awaited)
{
    for (uintptr_t at = awaited->from; at < awaited->end; at += TCI_AWAITED_FRAME_LINE)
        __builtin_prefetch((const void *)at);
}

#endif
