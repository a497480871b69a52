#include "zstd_fse.h"

#include <string.h>

const char *tci_zstd_fse_bits_begin(tci_zstd_fse_bits *bits, const uint8_t *bytes, size_t size)
{
    if (size == 0 || bytes[size - 1] == 0)
        return "a bit stream without its end mark";
    *bits = (tci_zstd_fse_bits){.bytes = bytes, .size = size};
    bits->at = (int64_t)(size - 1) * 8 + tci_zstd_fse_highest(bytes[size - 1]);
    return NULL;
}

uint32_t tci_zstd_fse_bits_peek(const tci_zstd_fse_bits *bits, unsigned count)
{
    const int64_t first = bits->at - (int64_t)count;
    const int64_t low = first < 0 ? 0 : first;
    uint64_t word = 0;
    if (bits->at <= 0)
        return 0;
    const size_t from = (size_t)low / 8;
    for (size_t i = 0; i < 5 && from + i < bits->size; i++)
        word |= (uint64_t)bits->bytes[from + i] << (8 * i);
    word = word >> (low & 7) & (((uint64_t)1 << (bits->at - low)) - 1);
    return (uint32_t)(word << (low - first));
}

void tci_zstd_fse_table_make(tci_zstd_fse_table *table, const int16_t *counts, unsigned symbols,
                             unsigned log)
{
    const uint32_t size = 1u << log, mask = size - 1, step = (size >> 1) + (size >> 3) + 3;
    uint16_t next[TCI_ZSTD_FSE_SYMBOLS_MAX];
    uint32_t high = size, at = 0;
    for (unsigned s = 0; s < symbols; s++) {
        next[s] = (uint16_t)(counts[s] < 0 ? 1 : counts[s]);
        if (counts[s] < 0)
            table->states[--high].symbol = (uint8_t)s;
    }
    for (unsigned s = 0; s < symbols; s++) {
        for (int i = 0; i < counts[s]; i++) {
            table->states[at].symbol = (uint8_t)s;
            do
                at = (at + step) & mask;
            while (at >= high);
        }
    }
    for (uint32_t i = 0; i < size; i++) {
        tci_zstd_fse_state *state = &table->states[i];
        const uint32_t number = next[state->symbol]++;
        state->bits = (uint8_t)(log - tci_zstd_fse_highest(number));
        state->base = (uint16_t)((number << state->bits) - size);
    }
    table->log = log;
}

void tci_zstd_fse_table_constant(tci_zstd_fse_table *table, uint8_t symbol)
{
    table->states[0] = (tci_zstd_fse_state){.symbol = symbol};
    table->log = 0;
}

/* Reads up to 25 bits from bit `at` on; behind the end there are zeros. */
static uint32_t forward_bits(const tci_zstd_fse_input *in, size_t at, unsigned count)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && at / 8 + i < in->left; i++)
        word |= (uint32_t)in->bytes[at / 8 + i] << (8 * i);
    return word >> (at & 7) & ((1u << count) - 1);
}

/* Gives the next count; small ones take a bit less. */
static int read_count(const tci_zstd_fse_input *in, size_t *at, int remaining)
{
    const unsigned bits = tci_zstd_fse_highest((uint32_t)remaining + 1) + 1;
    const uint32_t low = (1u << (bits - 1)) - 1;
    const uint32_t threshold = (1u << bits) - 1 - ((uint32_t)remaining + 1);
    uint32_t value = forward_bits(in, *at, bits);
    *at += bits;
    if ((value & low) < threshold) {
        value &= low;
        *at -= 1;
    } else if (value > low) {
        value -= threshold;
    }
    return (int)value - 1;
}

const char *tci_zstd_fse_table_read(tci_zstd_fse_table *table, tci_zstd_fse_input *in,
                                    unsigned symbols_max, unsigned log_max)
{
    int16_t counts[TCI_ZSTD_FSE_SYMBOLS_MAX] = {0};
    const unsigned log = forward_bits(in, 0, 4) + 5;
    unsigned symbols = 0;
    size_t at = 4;
    if (log > log_max)
        return "a table of too many states";
    int remaining = 1 << log;
    while (remaining > 0 && symbols < symbols_max && at / 8 < in->left) {
        const int count = read_count(in, &at, remaining);
        remaining -= count < 0 ? 1 : count;
        counts[symbols++] = (int16_t)count;
        if (count != 0)
            continue;
        uint32_t zeros;
        do {
            zeros = forward_bits(in, at, 2);
            at += 2;
            symbols += zeros;
        } while (zeros == 3 && symbols < symbols_max);
    }
    const size_t used = (at + 7) / 8;
    if (remaining != 0 || symbols > symbols_max || used > in->left)
        return "a table whose counts do not add up";
    in->bytes += used;
    in->left -= used;
    tci_zstd_fse_table_make(table, counts, symbols, log);
    return NULL;
}
