/* Numbers of one to five bytes, short for small values: used by archives and images. */
#ifndef TCI_VARINT_H
#define TCI_VARINT_H

#include "base/cursor.h"

#define TCI_VARINT_MAX_SIZE 5u /* bytes of the longest, 2^32 - 1 */

/* Reads an unsigned LEB128 up to 2^32 - 1. A value has one encoding: a padded one fails, so
 * does a larger one. */
static inline uint32_t tci_varint_read(tci_reader *r)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = tci_read_u8(r);
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) != 0 && shift < 7 * TCI_VARINT_MAX_SIZE);
    bool padded = shift > 7 && byte == 0;
    if ((byte & 0x80) != 0 || padded || value > UINT32_MAX)
        r->failed = true;
    return r->failed ? 0 : (uint32_t)value;
}

static inline void tci_varint_write(tci_writer *w, uint32_t value)
{
    while (value >= 0x80) {
        tci_write_u8(w, (uint8_t)(value | 0x80));
        value >>= 7;
    }
    tci_write_u8(w, (uint8_t)value);
}

#endif
