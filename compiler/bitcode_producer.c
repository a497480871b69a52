/* The container is a stream of bits, least significant first (LLVM's BitCodeFormat document). Of its grammar only what an
 * identification block can hold is read here: abbreviation definitions and records. */
#include "bitcode_producer.h"

#include "base/error_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    BLOCK_IDENTIFICATION = 13,
    RECORD_PRODUCER = 1,
    ABBREV_END_BLOCK = 0,
    ABBREV_ENTER_BLOCK = 1,
    ABBREV_DEFINE = 2,
    ABBREV_UNABBREVIATED = 3,
    ABBREV_FIRST_DEFINED = 4,
    ABBREVS_MAX = 8,  /* LLVM writes two */
    OPERANDS_MAX = 8, /* LLVM writes three */
    RECORDS_MAX = 16  /* LLVM writes two */
};

enum encoding { LITERAL = 0, FIXED = 1, VBR = 2, ARRAY = 3, CHAR6 = 4, BLOB = 5 };

typedef struct bits {
    const uint8_t *data;
    size_t size; /* bits */
    size_t at;
    bool failed;
} bits;

typedef struct operand {
    enum encoding encoding;
    uint64_t value; /* of a literal; width otherwise */
} operand;

typedef struct abbreviation {
    operand operands[OPERANDS_MAX];
    size_t count;
} abbreviation;

typedef struct record {
    uint64_t code;
    bool has_code;
    char text[TCI_PRODUCER_TEXT_MAX];
    size_t length;
} record;

static uint64_t read_fixed(bits *b, unsigned width)
{
    if (width > 64 || b->size - b->at < width) {
        b->failed = true;
        b->at = b->size;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++, b->at++)
        value |= (uint64_t)((b->data[b->at / 8] >> (b->at % 8)) & 1) << i;
    return value;
}

/* Groups of width - 1 bits, each with a bit in front of the next that says whether another follows. */
static uint64_t read_vbr(bits *b, unsigned width)
{
    if (width < 2 || width > 32) {
        b->failed = true;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += width - 1) {
        uint64_t group = read_fixed(b, width);
        value |= (group & ((1ull << (width - 1)) - 1)) << shift;
        if ((group >> (width - 1)) == 0)
            return value;
    }
    b->failed = true;
    return 0;
}

static void align_to_word(bits *b)
{
    size_t at = (b->at + 31) & ~(size_t)31;
    if (at > b->size)
        b->failed = true;
    else
        b->at = at;
}

static uint64_t read_scalar(bits *b, const operand *op)
{
    static const char char6[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    switch (op->encoding) {
    case LITERAL:
        return op->value;
    case FIXED:
        return read_fixed(b, (unsigned)op->value);
    case VBR:
        return read_vbr(b, (unsigned)op->value);
    case CHAR6:
        return (uint64_t)char6[read_fixed(b, 6)];
    default:
        b->failed = true;
        return 0;
    }
}

static void read_definition(bits *b, abbreviation *a)
{
    uint64_t count = read_vbr(b, 5);
    if (count > OPERANDS_MAX) {
        b->failed = true;
        return;
    }
    a->count = (size_t)count;
    for (size_t i = 0; i < a->count && !b->failed; i++) {
        operand *op = &a->operands[i];
        bool literal = read_fixed(b, 1) != 0;
        op->encoding = literal ? LITERAL : (enum encoding)read_fixed(b, 3);
        op->value = 0;
        if (literal)
            op->value = read_vbr(b, 8);
        else if (op->encoding == FIXED || op->encoding == VBR)
            op->value = read_vbr(b, 5);
        if (op->value > 64 && !literal)
            b->failed = true;
    }
}

static void record_append(record *r, uint64_t value)
{
    if (!r->has_code) {
        r->code = value;
        r->has_code = true;
    } else if (r->length + 1 < sizeof r->text) {
        r->text[r->length++] = value >= 0x20 && value < 0x7f ? (char)value : '?';
    }
}

static void read_abbreviated(bits *b, const abbreviation *a, record *r)
{
    for (size_t i = 0; i < a->count && !b->failed; i++) {
        if (a->operands[i].encoding != ARRAY) {
            record_append(r, read_scalar(b, &a->operands[i]));
            continue;
        }
        if (i + 2 != a->count) { /* an array is last but one, its element last */
            b->failed = true;
            return;
        }
        uint64_t count = read_vbr(b, 6);
        for (uint64_t n = 0; n < count && !b->failed; n++)
            record_append(r, read_scalar(b, &a->operands[i + 1]));
        return;
    }
}

static void read_unabbreviated(bits *b, record *r)
{
    record_append(r, read_vbr(b, 6));
    uint64_t count = read_vbr(b, 6);
    for (uint64_t n = 0; n < count && !b->failed; n++)
        record_append(r, read_vbr(b, 6));
}

/* Stands behind the word that gives the block's length. */
static void read_identification(bits *b, unsigned id_width, char text_out[TCI_PRODUCER_TEXT_MAX])
{
    abbreviation abbreviations[ABBREVS_MAX];
    size_t defined = 0;
    for (int i = 0; i < RECORDS_MAX && !b->failed; i++) {
        uint64_t id = read_fixed(b, id_width);
        record r = {0};
        if (id == ABBREV_END_BLOCK)
            return;
        if (id == ABBREV_DEFINE && defined < ABBREVS_MAX)
            read_definition(b, &abbreviations[defined++]);
        else if (id == ABBREV_UNABBREVIATED)
            read_unabbreviated(b, &r);
        else if (id >= ABBREV_FIRST_DEFINED && id - ABBREV_FIRST_DEFINED < defined)
            read_abbreviated(b, &abbreviations[id - ABBREV_FIRST_DEFINED], &r);
        else
            b->failed = true;
        if (!b->failed && r.has_code && r.code == RECORD_PRODUCER)
            memcpy(text_out, r.text, sizeof r.text);
    }
}

/* Some tools put a header of five words in front: magic, version, offset, size, cpu type. */
static void skip_wrapper(const uint8_t **data, size_t *size)
{
    static const uint8_t wrapper[4] = {0xde, 0xc0, 0x17, 0x0b};
    bits header = {.data = *data, .size = *size * 8, .at = 64};
    if (*size < 20 || memcmp(*data, wrapper, sizeof wrapper) != 0)
        return;
    size_t offset = (size_t)read_fixed(&header, 32);
    size_t length = (size_t)read_fixed(&header, 32);
    if (offset <= *size && length <= *size - offset) {
        *data += offset;
        *size = length;
    }
}

tc_status tci_bitcode_producer(const void *bytes, size_t size, tci_producer *producer_out,
                               tc_error *err)
{
    static const uint8_t magic[4] = {'B', 'C', 0xc0, 0xde};
    const uint8_t *data = bytes;
    skip_wrapper(&data, &size);
    if (size < 8)
        return tci_error_set(err, TC_E_CORRUPT, "not LLVM bitcode: %zu bytes", size);
    if (memcmp(data, magic, sizeof magic) != 0) {
        return tci_error_set(err, TC_E_CORRUPT,
                             "not LLVM bitcode: starts with %02x %02x %02x %02x, expected 42 43 c0 de",
                             data[0], data[1], data[2], data[3]);
    }
    if (size > SIZE_MAX / 8)
        return tci_error_set(err, TC_E_TOO_LARGE, "bitcode of %zu bytes", size);

    tci_producer producer = {0};
    bits b = {.data = data, .size = size * 8, .at = 32};
    if (read_fixed(&b, 2) == ABBREV_ENTER_BLOCK && read_vbr(&b, 8) == BLOCK_IDENTIFICATION) {
        unsigned id_width = (unsigned)read_vbr(&b, 4);
        align_to_word(&b);
        (void)read_fixed(&b, 32);
        if (id_width < 2 || id_width > 32)
            b.failed = true;
        else
            read_identification(&b, id_width, producer.text);
    }
    if (b.failed)
        return tci_error_set(err, TC_E_CORRUPT, "bitcode: damaged identification block");
    if (sscanf(producer.text, "LLVM%3u.%3u.%3u", &producer.major, &producer.minor,
               &producer.patch) < 1)
        producer.major = 0;
    *producer_out = producer;
    return TC_OK;
}
