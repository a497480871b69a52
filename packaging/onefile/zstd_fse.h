/* Bits of zstd's frames (RFC 8878): bit streams that are read from their end, and tables of
 * finite state entropy.
 *
 * The one-file library unpacks archives by this decoder, as it links no libzstd. All bytes are
 * a peer's: no read leaves the given range, and each function that finds damage returns a text
 * about it; NULL is success. */
#ifndef TCI_ZSTD_FSE_H
#define TCI_ZSTD_FSE_H

#include <stddef.h>
#include <stdint.h>

#define TCI_ZSTD_FSE_LOG_MAX 9
#define TCI_ZSTD_FSE_SYMBOLS_MAX 256

/* Bytes that are read from the front. */
typedef struct tci_zstd_fse_input {
    const uint8_t *bytes;
    size_t left;
} tci_zstd_fse_input;

/* A stream that is read from its end: the next bits are those below `at`. Reading on before
 * its beginning gives zeros, and leaves `at` negative. */
typedef struct tci_zstd_fse_bits {
    const uint8_t *bytes;
    size_t size;
    int64_t at;
} tci_zstd_fse_bits;

typedef struct tci_zstd_fse_state {
    uint16_t base;
    uint8_t bits;
    uint8_t symbol;
} tci_zstd_fse_state;

typedef struct tci_zstd_fse_table {
    tci_zstd_fse_state states[1 << TCI_ZSTD_FSE_LOG_MAX];
    unsigned log;
} tci_zstd_fse_table;

/* Returns the index of the highest bit of a value that is not 0. */
static inline unsigned tci_zstd_fse_highest(uint32_t value)
{
    return 31u - (unsigned)__builtin_clz(value);
}

/* The last byte's highest bit ends the stream and is no part of it. */
const char *tci_zstd_fse_bits_begin(tci_zstd_fse_bits *bits, const uint8_t *bytes, size_t size);
/* Returns the next `count` bits, at most 32, which stay. */
uint32_t tci_zstd_fse_bits_peek(const tci_zstd_fse_bits *bits, unsigned count);

static inline uint32_t tci_zstd_fse_bits_take(tci_zstd_fse_bits *bits, unsigned count)
{
    uint32_t value = tci_zstd_fse_bits_peek(bits, count);
    bits->at -= count;
    return value;
}

/* Makes a table of counts, of which -1 stands for less than one. Their sum is 1 << log. */
void tci_zstd_fse_table_make(tci_zstd_fse_table *table, const int16_t *counts, unsigned symbols,
                             unsigned log);
/* A table of one symbol, which takes no bits. */
void tci_zstd_fse_table_constant(tci_zstd_fse_table *table, uint8_t symbol);
/* Reads the description of a table with at most that many symbols. */
const char *tci_zstd_fse_table_read(tci_zstd_fse_table *table, tci_zstd_fse_input *in,
                                    unsigned symbols_max, unsigned log_max);

#endif
