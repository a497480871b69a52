/* The buffers of streams. They grow when bytes fill them. Empty ones of wide streams are spares
 * of all wide streams of one owner, so an idle connection takes no memory for them. */
#ifndef TCI_STREAM_BUFFER_H
#define TCI_STREAM_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCI_STREAM_BUFFER_SMALL ((size_t)512)

/* Bytes [begin, end). */
typedef struct tci_stream_buffer {
    uint8_t *bytes;
    size_t capacity; /* of a spare that was freed: for the next one */
    size_t begin, end;
} tci_stream_buffer;

typedef struct tci_stream_spares {
    unsigned users; /* streams */
    tci_stream_buffer in, out;
    /* Frees spares that are not small, before a sleep. */
    void (*rest)(struct tci_stream_spares *spares);
} tci_stream_spares;

/* Makes space for `size` bytes behind the end, in the spare if the buffer has no memory. spare:
 * may be NULL. Returns false when there is no memory. */
bool tci_stream_buffer_reserve(tci_stream_buffer *b, tci_stream_buffer *spare, size_t size);

/* Moves the bytes to the front, so that all the space is behind them. */
void tci_stream_buffer_compact(tci_stream_buffer *b);

/* Makes an empty buffer the spare, or frees it if the spare is larger. */
void tci_stream_buffer_release(tci_stream_buffer *b, tci_stream_buffer *spare);

/* The function `rest` of spares. A buffer that follows has half the space at once: those of a
 * connection that carries much need not grow from the beginning, and a sleeper that wakes for
 * little soon has a small one, which stays. */
void tci_stream_buffer_rest(tci_stream_spares *spares);

#endif
