/* The literals of a block of zstd's (RFC 8878, chapter 3.1.1.3.1): raw, one byte repeated, or
 * coded by Huffman's tree, which later blocks may use again. */
#ifndef TCI_ZSTD_LITERALS_H
#define TCI_ZSTD_LITERALS_H

#include "zstd_fse.h"

#define TCI_ZSTD_LITERALS_MAX (128u << 10)
#define TCI_ZSTD_LITERALS_BITS 11

typedef struct tci_zstd_literals {
    uint8_t bytes[TCI_ZSTD_LITERALS_MAX];
    size_t size;
    struct {
        uint8_t symbol;
        uint8_t bits;
    } codes[1 << TCI_ZSTD_LITERALS_BITS];
    unsigned longest;                   /* bits of the longest code; 0: no tree came yet */
    tci_zstd_fse_table weights_by_bits; /* of the tree's description */
} tci_zstd_literals;

const char *tci_zstd_literals_read(tci_zstd_literals *literals, tci_zstd_fse_input *in);

#endif
