#include "cursor.h"

#include <string.h>

void tci_reader_init(tci_reader *r, const void *data, size_t size)
{
    static const uint8_t nothing[1]; /* adding zero to a null pointer is undefined */
    *r = (tci_reader){.data = data == NULL && size == 0 ? nothing : data, .size = size};
}

void tci_writer_init(tci_writer *w, void *data, size_t size)
{
    *w = (tci_writer){.data = data, .size = size};
}

void tci_write_bytes(tci_writer *w, const void *bytes, size_t n)
{
    if (w->failed || n > w->size - w->at) {
        w->failed = true;
        return;
    }
    if (n > 0)
        memcpy(w->data + w->at, bytes, n);
    w->at += n;
}

void tci_write_padding(tci_writer *w, size_t alignment)
{
    static const uint8_t zeros[64];
    size_t over = w->at & (alignment - 1);
    if (over != 0)
        tci_write_bytes(w, zeros, alignment - over);
}
