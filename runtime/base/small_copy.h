/* Copying a few bytes with as few stores as possible, and no call.
 *
 * A store into memory that another processor has just read takes long to leave the store
 * buffer, and everything stored after it waits behind it. On such a path the number of stores
 * counts, not the number of instructions. */
#ifndef TCI_SMALL_COPY_H
#define TCI_SMALL_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TCI_SMALL_COPY_MAX 48u

/* n <= 8: returns the bytes as one little-endian number, with zeros behind them. */
static inline uint64_t tci_small_load(const uint8_t *from, size_t n)
{
    uint64_t value = 0;
    if (n == 8) {
        memcpy(&value, from, 8);
    } else if (n >= 4) {
        uint32_t low, high;
        memcpy(&low, from, 4);
        memcpy(&high, from + n - 4, 4);
        value = low | (uint64_t)high << (8 * (n - 4));
    } else if (n > 0) {
        value = from[0] | (uint64_t)from[n / 2] << (8 * (n / 2)) |
                (uint64_t)from[n - 1] << (8 * (n - 1));
    }
    return value;
}

/* n <= TCI_SMALL_COPY_MAX. The last piece may overlap the one before it, so no byte outside is
 * touched. */
static inline void tci_small_copy(uint8_t *to, const uint8_t *from, size_t n)
{
    if (n >= 16) {
        memcpy(to, from, 16);
        if (n > 32)
            memcpy(to + 16, from + 16, 16);
        if (n > 16)
            memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        memcpy(to, from, 8);
        if (n > 8)
            memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        if (n > 4)
            memcpy(to + n - 4, from + n - 4, 4);
    } else if (n > 0) {
        to[0] = from[0];
        if (n > 1) {
            to[n / 2] = from[n / 2];
            to[n - 1] = from[n - 1];
        }
    }
}

/* Copies any number of bytes; 0 also of or to NULL. */
static inline void tci_small_copy_any(void *to, const void *from, size_t n)
{
    if (n <= TCI_SMALL_COPY_MAX)
        tci_small_copy(to, from, n);
    else
        memcpy(to, from, n);
}

#endif
