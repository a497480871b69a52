#include "stream_buffer.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)256) /* a power of two */

void tci_stream_buffer_compact(tci_stream_buffer *b)
{
    if (b->begin == 0)
        return;
    memmove(b->bytes, b->bytes + b->begin, b->end - b->begin);
    b->end -= b->begin;
    b->begin = 0;
}

static bool grow(tci_stream_buffer *b, size_t capacity, size_t least)
{
    while (capacity < least)
        capacity *= 2;
    uint8_t *bytes = realloc(b->bytes, capacity); /* bound: TCI_STREAM_WIDE_BYTES */
    if (bytes == NULL)
        return false;
    b->bytes = bytes;
    b->capacity = capacity;
    return true;
}

bool tci_stream_buffer_reserve(tci_stream_buffer *b, tci_stream_buffer *spare, size_t size)
{
    size_t first = spare != NULL && spare->capacity > 0 ? spare->capacity : FIRST_BYTES;
    if (b->bytes == NULL && spare != NULL && spare->bytes != NULL) {
        *b = *spare;
        spare->bytes = NULL;
    }
    if (size <= b->capacity - b->end)
        return true;
    tci_stream_buffer_compact(b);
    return size <= b->capacity - b->end ||
           grow(b, b->bytes != NULL ? b->capacity : first, b->end + size);
}

void tci_stream_buffer_release(tci_stream_buffer *b, tci_stream_buffer *spare)
{
    uint8_t *other = spare->bytes;
    if (b->bytes == NULL)
        return;
    if (other != NULL && spare->capacity >= b->capacity)
        other = b->bytes;
    else
        *spare = (tci_stream_buffer){.bytes = b->bytes, .capacity = b->capacity};
    *b = (tci_stream_buffer){0};
    free(other);
}

static void rest(tci_stream_buffer *spare)
{
    if (spare->capacity <= TCI_STREAM_BUFFER_SMALL)
        return;
    free(spare->bytes);
    spare->bytes = NULL;
    spare->capacity /= 2;
}

void tci_stream_buffer_rest(tci_stream_spares *spares)
{
    rest(&spares->in);
    rest(&spares->out);
}
