/* Frames of zstd's: a head, then blocks, each of literals and sequences. A sequence copies
 * literals, then bytes that the frame has given before. */
#include "zstd_frame.h"

#include "zstd_literals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_MAX (128u << 10)
#define HEAD_SINGLE 0x20u
#define HEAD_RESERVED 0x08u
#define HEAD_CHECKSUM 0x04u
#define HEAD_DICTIONARY 0x03u
#define FSE(name) tci_zstd_fse_##name

enum { BLOCK_RAW, BLOCK_REPEATED, BLOCK_PACKED };
enum { MODE_DEFAULT, MODE_CONSTANT, MODE_STATED, MODE_AGAIN };

/* A value is `base` and the number in the next `bits`. */
typedef struct extra {
    uint32_t base;
    uint8_t bits;
} extra;

static const extra literal_lengths[] = {
    {0, 0},     {1, 0},     {2, 0},     {3, 0},      {4, 0},      {5, 0},
    {6, 0},     {7, 0},     {8, 0},     {9, 0},      {10, 0},     {11, 0},
    {12, 0},    {13, 0},    {14, 0},    {15, 0},     {16, 1},     {18, 1},
    {20, 1},    {22, 1},    {24, 2},    {28, 2},     {32, 3},     {40, 3},
    {48, 4},    {64, 6},    {128, 7},   {256, 8},    {512, 9},    {1024, 10},
    {2048, 11}, {4096, 12}, {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16},
};
static const extra match_lengths[] = {
    {3, 0},     {4, 0},      {5, 0},      {6, 0},      {7, 0},     {8, 0},     {9, 0},
    {10, 0},    {11, 0},     {12, 0},     {13, 0},     {14, 0},    {15, 0},    {16, 0},
    {17, 0},    {18, 0},     {19, 0},     {20, 0},     {21, 0},    {22, 0},    {23, 0},
    {24, 0},    {25, 0},     {26, 0},     {27, 0},     {28, 0},    {29, 0},    {30, 0},
    {31, 0},    {32, 0},     {33, 0},     {34, 0},     {35, 1},    {37, 1},    {39, 1},
    {41, 1},    {43, 2},     {47, 2},     {51, 3},     {59, 3},    {67, 4},    {83, 4},
    {99, 5},    {131, 7},    {259, 8},    {515, 9},    {1027, 10}, {2051, 11}, {4099, 12},
    {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16},
};
static const int16_t literal_length_counts[] = {4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
                                                2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
                                                2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int16_t match_length_counts[] = {
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
static const int16_t offset_counts[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,  1,  1,  1, 1,
                                        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

/* The codes of one of the three parts of a sequence. */
typedef struct part {
    tci_zstd_fse_table table;
    bool known; /* a block before had it */
    uint32_t state;
} part;

typedef struct part_kind {
    const int16_t *counts;
    unsigned count_of_counts, log, symbols_max, log_max;
} part_kind;

enum { LENGTH, OFFSET, MATCH, PARTS };
#define COUNTS(of) of, sizeof of / sizeof of[0]
static const part_kind kinds[PARTS] = {
    [LENGTH] = {COUNTS(literal_length_counts), 6, 36, 9},
    [OFFSET] = {COUNTS(offset_counts), 5, 32, 8},
    [MATCH] = {COUNTS(match_length_counts), 6, 53, 9},
};

typedef struct unpacking {
    uint8_t *out;
    size_t size, done;
    tci_zstd_literals literals;
    part parts[PARTS];
    size_t recent[3]; /* offsets of the last sequences */
} unpacking;

static const char *choose_table(part *p, const part_kind *kind, unsigned mode,
                                tci_zstd_fse_input *in)
{
    const char *damage = NULL;
    if (mode == MODE_DEFAULT) {
        FSE(table_make)(&p->table, kind->counts, kind->count_of_counts, kind->log);
    } else if (mode == MODE_STATED) {
        damage = FSE(table_read)(&p->table, in, kind->symbols_max, kind->log_max);
    } else if (mode == MODE_CONSTANT) {
        if (in->left == 0 || in->bytes[0] >= kind->symbols_max)
            return "a code of sequences that does not exist";
        FSE(table_constant)(&p->table, in->bytes[0]);
        in->bytes++;
        in->left--;
    } else if (!p->known) {
        damage = "sequences by the table of a block before, which had none";
    }
    p->known = damage == NULL;
    return damage;
}

/* Values up to 3 stand for recent offsets; without literals for others of them. */
static size_t offset_of(size_t recent[3], uint64_t value, bool no_literals)
{
    size_t offset;
    if (value > 3) {
        offset = (size_t)(value - 3);
        recent[2] = recent[1];
    } else {
        const size_t index = (size_t)value - 1 + no_literals;
        if (index == 0)
            return recent[0];
        offset = index == 3 ? recent[0] - 1 : recent[index];
        if (index != 1)
            recent[2] = recent[1];
    }
    recent[1] = recent[0];
    recent[0] = offset;
    return offset;
}

static const char *copy_literals(unpacking *u, size_t *used, size_t size)
{
    if (size > u->literals.size - *used || size > u->size - u->done)
        return "a sequence with more literals than there are";
    if (size > 0)
        memcpy(u->out + u->done, u->literals.bytes + *used, size);
    u->done += size;
    *used += size;
    return NULL;
}

static const char *copy_match(unpacking *u, size_t offset, size_t size)
{
    if (offset == 0 || offset > u->done)
        return "a sequence that copies from before the beginning";
    if (size > u->size - u->done)
        return "more bytes than the frame's content has";
    for (size_t i = 0; i < size; i++, u->done++)
        u->out[u->done] = u->out[u->done - offset];
    return NULL;
}

static uint32_t value_of(const extra *row, tci_zstd_fse_bits *bits)
{
    return row->base + FSE(bits_take)(bits, row->bits);
}

static const char *run_sequences(unpacking *u, size_t count, tci_zstd_fse_bits *bits,
                                 size_t *used)
{
    static const uint8_t refilled[PARTS] = {LENGTH, MATCH, OFFSET};
    const char *damage = NULL;
    for (unsigned i = 0; i < PARTS; i++)
        u->parts[i].state = FSE(bits_take)(bits, u->parts[i].table.log);
    for (size_t left = count; left > 0 && damage == NULL; left--) {
        const tci_zstd_fse_state *now[PARTS];
        for (unsigned i = 0; i < PARTS; i++)
            now[i] = &u->parts[i].table.states[u->parts[i].state];
        const unsigned width = now[OFFSET]->symbol;
        const uint64_t offset = ((uint64_t)1 << width) + FSE(bits_take)(bits, width);
        const uint32_t match = value_of(&match_lengths[now[MATCH]->symbol], bits);
        const uint32_t length = value_of(&literal_lengths[now[LENGTH]->symbol], bits);
        for (unsigned i = 0; i < PARTS && left > 1; i++) {
            part *p = &u->parts[refilled[i]];
            const tci_zstd_fse_state *state = now[refilled[i]];
            p->state = state->base + FSE(bits_take)(bits, state->bits);
        }
        if (bits->at < 0)
            return "sequences that end early";
        damage = copy_literals(u, used, length);
        if (damage == NULL)
            damage = copy_match(u, offset_of(u->recent, offset, length == 0), match);
    }
    return damage == NULL && bits->at != 0 ? "bits behind the last sequence" : damage;
}

static const char *read_count(tci_zstd_fse_input *in, size_t *count_out)
{
    const size_t head = in->left == 0 ? 1 : in->bytes[0] < 128 ? 1 : in->bytes[0] < 255 ? 2 : 3;
    if (in->left < head)
        return "a block without sequences";
    if (head == 1)
        *count_out = in->bytes[0];
    else if (head == 2)
        *count_out = ((size_t)in->bytes[0] - 128) << 8 | in->bytes[1];
    else
        *count_out = (in->bytes[1] | (size_t)in->bytes[2] << 8) + 0x7f00;
    in->bytes += head;
    in->left -= head;
    return NULL;
}

static const char *unpack_block(unpacking *u, tci_zstd_fse_input in)
{
    size_t count = 0, used = 0;
    tci_zstd_fse_bits bits;
    const char *damage = tci_zstd_literals_read(&u->literals, &in);
    if (damage == NULL)
        damage = read_count(&in, &count);
    if (damage == NULL && count > 0) {
        if (in.left == 0)
            return "sequences without tables";
        const unsigned modes = in.bytes[0];
        in.bytes++;
        in.left--;
        for (unsigned i = 0; i < PARTS && damage == NULL; i++)
            damage = choose_table(&u->parts[i], &kinds[i], modes >> (6 - 2 * i) & 3, &in);
        if (damage == NULL)
            damage = FSE(bits_begin)(&bits, in.bytes, in.left);
        if (damage == NULL)
            damage = run_sequences(u, count, &bits, &used);
    } else if (damage == NULL && in.left != 0) {
        damage = "bytes behind a block's literals";
    }
    return damage != NULL ? damage : copy_literals(u, &used, u->literals.size - used);
}

static const char *read_head(tci_zstd_fse_input *in)
{
    static const uint8_t content_bytes[] = {0, 2, 4, 8};
    if (in->left == 0)
        return "no head";
    const unsigned head = in->bytes[0];
    const bool single = (head & HEAD_SINGLE) != 0;
    size_t size = 1 + content_bytes[head >> 6];
    size += single ? head >> 6 == 0 : 1; /* a byte of the content's size, or of the window's */
    if ((head & (HEAD_RESERVED | HEAD_CHECKSUM | HEAD_DICTIONARY)) != 0)
        return "a head with parts that an archive's frame has not";
    if (in->left < size)
        return "a head that ends early";
    in->bytes += size;
    in->left -= size;
    return NULL;
}

static const char *take_block(unpacking *u, tci_zstd_fse_input *in, bool *last_out)
{
    if (in->left < 3)
        return "no last block";
    const uint32_t head =
        in->bytes[0] | (uint32_t)in->bytes[1] << 8 | (uint32_t)in->bytes[2] << 16;
    const unsigned kind = head >> 1 & 3;
    const size_t size = head >> 3, stored = kind == BLOCK_REPEATED ? 1 : size;
    const uint8_t *bytes = in->bytes + 3;
    *last_out = (head & 1) != 0;
    if (kind > BLOCK_PACKED || size > BLOCK_MAX || stored > in->left - 3)
        return "a block of an unknown kind, or larger than blocks are";
    in->bytes += 3 + stored;
    in->left -= 3 + stored;
    if (kind == BLOCK_PACKED)
        return unpack_block(u, (tci_zstd_fse_input){bytes, size});
    if (size > u->size - u->done)
        return "more bytes than the frame's content has";
    if (kind == BLOCK_REPEATED)
        memset(u->out + u->done, bytes[0], size);
    else
        memcpy(u->out + u->done, bytes, size);
    u->done += size;
    return NULL;
}

const char *tci_zstd_frame_unpack(const uint8_t *frame, size_t frame_size, uint8_t *out,
                                  size_t size)
{
    tci_zstd_fse_input in = {frame, frame_size};
    bool last = false;
    unpacking *u = malloc(sizeof *u);
    if (u == NULL)
        return "no memory";
    u->out = out;
    u->size = size;
    u->done = 0;
    u->literals.longest = 0;
    for (unsigned i = 0; i < PARTS; i++)
        u->parts[i].known = false;
    u->recent[0] = 1;
    u->recent[1] = 4;
    u->recent[2] = 8;
    const char *damage = read_head(&in);
    while (damage == NULL && !last)
        damage = take_block(u, &in, &last);
    if (damage == NULL && in.left != 0)
        damage = "bytes behind the last block";
    if (damage == NULL && u->done != size)
        damage = "fewer bytes than the frame's content has";
    free(u);
    return damage;
}
