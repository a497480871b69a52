#include "zstd_literals.h"

#include <stdbool.h>
#include <string.h>

#define WEIGHTS_MAX 256
#define WEIGHTS_LOG_MAX 6

enum { RAW, REPEATED, CODED, CODED_AGAIN };

/* Weights come from two states that take turns, until the stream has no bits left. */
static const char *weights_of_states(const tci_zstd_fse_table *table, tci_zstd_fse_bits *bits,
                                     uint8_t weights[WEIGHTS_MAX], unsigned *count_out)
{
    uint32_t state[2];
    unsigned count = 0;
    state[0] = tci_zstd_fse_bits_take(bits, table->log);
    state[1] = tci_zstd_fse_bits_take(bits, table->log);
    if (bits->at < 0)
        return "a Huffman tree without bits";
    for (unsigned turn = 0; count < WEIGHTS_MAX - 2; turn ^= 1) {
        const tci_zstd_fse_state *now = &table->states[state[turn]];
        weights[count++] = now->symbol;
        state[turn] = now->base + tci_zstd_fse_bits_take(bits, now->bits);
        if (bits->at < 0) {
            weights[count++] = table->states[state[turn ^ 1]].symbol;
            *count_out = count;
            return NULL;
        }
    }
    return "a Huffman tree of too many symbols";
}

static const char *read_weights(tci_zstd_literals *literals, tci_zstd_fse_input *in,
                                uint8_t weights[WEIGHTS_MAX], unsigned *count_out)
{
    if (in->left == 0)
        return "no Huffman tree";
    const unsigned head = in->bytes[0];
    const size_t size = head < 128 ? head : (head - 127 + 1) / 2;
    tci_zstd_fse_input own = {in->bytes + 1, size};
    tci_zstd_fse_bits bits;
    if (in->left - 1 < size)
        return "a Huffman tree that ends early";
    in->bytes += 1 + size;
    in->left -= 1 + size;
    if (head >= 128) {
        *count_out = head - 127;
        for (unsigned i = 0; i < *count_out; i++)
            weights[i] = i % 2 == 0 ? own.bytes[i / 2] >> 4 : own.bytes[i / 2] & 15;
        return NULL;
    }
    const char *damage = tci_zstd_fse_table_read(&literals->weights_by_bits, &own,
                                                 TCI_ZSTD_LITERALS_BITS + 1, WEIGHTS_LOG_MAX);
    if (damage == NULL)
        damage = tci_zstd_fse_bits_begin(&bits, own.bytes, own.left);
    if (damage == NULL)
        damage = weights_of_states(&literals->weights_by_bits, &bits, weights, count_out);
    return damage;
}

/* The last weight is not stated: it makes the sum a power of two. */
static const char *add_last_weight(uint8_t weights[WEIGHTS_MAX], unsigned *count,
                                   unsigned *longest_out)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < *count; i++) {
        if (weights[i] > TCI_ZSTD_LITERALS_BITS)
            return "a Huffman code that is too long";
        sum += weights[i] > 0 ? 1u << (weights[i] - 1) : 0;
    }
    if (sum == 0)
        return "a Huffman tree without codes";
    const unsigned longest = tci_zstd_fse_highest(sum) + 1;
    const uint32_t rest = (1u << longest) - sum;
    if (longest > TCI_ZSTD_LITERALS_BITS || (rest & (rest - 1)) != 0)
        return "a Huffman tree that is not whole";
    weights[(*count)++] = (uint8_t)(tci_zstd_fse_highest(rest) + 1);
    *longest_out = longest;
    return NULL;
}

static const char *read_tree(tci_zstd_literals *literals, tci_zstd_fse_input *in)
{
    uint8_t weights[WEIGHTS_MAX] = {0};
    unsigned count = 0, longest = 0;
    const char *damage = read_weights(literals, in, weights, &count);
    if (damage == NULL)
        damage = add_last_weight(weights, &count, &longest);
    if (damage != NULL)
        return damage;
    size_t at = 0;
    for (unsigned weight = 1; weight <= longest; weight++) {
        for (unsigned symbol = 0; symbol < count; symbol++) {
            for (size_t i = 0; weights[symbol] == weight && i < (size_t)1 << (weight - 1);
                 i++) {
                literals->codes[at].symbol = (uint8_t)symbol;
                literals->codes[at++].bits = (uint8_t)(longest + 1 - weight);
            }
        }
    }
    literals->longest = longest;
    return NULL;
}

static const char *decode_stream(const tci_zstd_literals *literals, const uint8_t *bytes,
                                 size_t size, uint8_t *out, size_t out_size)
{
    tci_zstd_fse_bits bits;
    const char *damage = tci_zstd_fse_bits_begin(&bits, bytes, size);
    if (damage != NULL)
        return damage;
    for (size_t i = 0; i < out_size && bits.at >= 0; i++) {
        const uint32_t code = tci_zstd_fse_bits_peek(&bits, literals->longest);
        out[i] = literals->codes[code].symbol;
        bits.at -= literals->codes[code].bits;
    }
    return bits.at != 0 ? "literals whose codes do not end with their stream" : NULL;
}

static const char *decode_four(tci_zstd_literals *literals, const tci_zstd_fse_input *in)
{
    const size_t part = (literals->size + 3) / 4;
    size_t at = 6, done = 0;
    if (in->left < 6 || part * 3 > literals->size)
        return "four streams of literals that are too short";
    for (unsigned i = 0; i < 4; i++) {
        size_t size = in->left - at, out_size = literals->size - done;
        if (i < 3) {
            const size_t stated = in->bytes[2 * i] | (size_t)in->bytes[2 * i + 1] << 8;
            if (stated > size)
                return "a stream of literals that ends early";
            size = stated;
            out_size = part;
        }
        const char *damage =
            decode_stream(literals, in->bytes + at, size, literals->bytes + done, out_size);
        if (damage != NULL)
            return damage;
        at += size;
        done += out_size;
    }
    return NULL;
}

static const char *read_coded(tci_zstd_literals *literals, tci_zstd_fse_input *in, bool again)
{
    const unsigned form = in->bytes[0] >> 2 & 3;
    const unsigned head = form < 2 ? 3 : form + 2, width = form < 2 ? 10 : form * 4 + 6;
    uint64_t word = 0;
    if (in->left < head)
        return "a head of literals that ends early";
    for (unsigned i = 0; i < head; i++)
        word |= (uint64_t)in->bytes[i] << (8 * i);
    const size_t mask = ((size_t)1 << width) - 1;
    const size_t size = (size_t)(word >> (4 + width)) & mask;
    literals->size = (size_t)(word >> 4) & mask;
    if (literals->size > sizeof literals->bytes || in->left - head < size)
        return "more literals than a block can have";
    tci_zstd_fse_input own = {in->bytes + head, size};
    in->bytes += head + size;
    in->left -= head + size;
    const char *damage = NULL;
    if (!again)
        damage = read_tree(literals, &own);
    else if (literals->longest == 0)
        damage = "literals by the tree of a block before, which had none";
    if (damage != NULL)
        return damage;
    return form == 0
               ? decode_stream(literals, own.bytes, own.left, literals->bytes, literals->size)
               : decode_four(literals, &own);
}

static const char *read_plain(tci_zstd_literals *literals, tci_zstd_fse_input *in,
                              bool repeated)
{
    const unsigned form = in->bytes[0] >> 2 & 3;
    const unsigned head = (form & 1) == 0 ? 1 : form == 1 ? 2 : 3;
    size_t size = 0;
    if (in->left < head)
        return "a head of literals that ends early";
    for (unsigned i = 0; i < head; i++)
        size |= (size_t)in->bytes[i] << (8 * i);
    size >>= head == 1 ? 3 : 4;
    const size_t stored = repeated ? 1 : size;
    if (size > sizeof literals->bytes || in->left - head < stored)
        return "more literals than a block can have";
    if (repeated)
        memset(literals->bytes, in->bytes[head], size);
    else
        memcpy(literals->bytes, in->bytes + head, size);
    literals->size = size;
    in->bytes += head + stored;
    in->left -= head + stored;
    return NULL;
}

const char *tci_zstd_literals_read(tci_zstd_literals *literals, tci_zstd_fse_input *in)
{
    if (in->left == 0)
        return "a block without literals";
    const unsigned kind = in->bytes[0] & 3;
    return kind == RAW || kind == REPEATED ? read_plain(literals, in, kind == REPEATED)
                                           : read_coded(literals, in, kind == CODED_AGAIN);
}
