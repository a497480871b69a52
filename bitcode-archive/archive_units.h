/* Splits a byte into four units of two bits, lowest first, one byte each. The fields of
 * bitcode, a stream of bits, rarely begin at a byte, so zstd, which compares bytes, overlooks
 * most of its repetitions until the stream is spread out. */
#ifndef TCI_ARCHIVE_UNITS_H
#define TCI_ARCHIVE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TCI_UNITS_PER_BYTE 4u

static inline void tci_units_spread(const uint8_t *bytes, size_t size, uint8_t *units)
{
    for (size_t i = 0; i < size; i++, units += TCI_UNITS_PER_BYTE) {
        uint32_t four = bytes[i]; /* the lowest first: hosts are little-endian */
        four = (four | four << 6 | four << 12 | four << 18) & 0x03030303;
        memcpy(units, &four, sizeof four);
    }
}

/* Returns false when one of the units is more than two bits. */
static inline bool tci_units_gather(const uint8_t *units, uint8_t *bytes, size_t size)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < size; i++, units += TCI_UNITS_PER_BYTE) {
        uint32_t four;
        memcpy(&four, units, sizeof four); /* the lowest first: hosts are little-endian */
        seen |= four;
        bytes[i] = (uint8_t)(four | four >> 6 | four >> 12 | four >> 18);
    }
    return (seen & 0xfcfcfcfc) == 0;
}

#endif
