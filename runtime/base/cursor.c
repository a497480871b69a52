#include "cursor.h"

void tci_write_padding(tci_writer *w, size_t alignment)
{
    static const uint8_t zeros[64];
    size_t over = w->at & (alignment - 1);
    if (over != 0)
        tci_write_bytes(w, zeros, alignment - over);
}
