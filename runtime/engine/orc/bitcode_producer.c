#include "bitcode_producer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Names and numbers as in LLVM's bitstream format ("LLVM Bitcode File Format" in its
 * documentation). */
enum {
    END_BLOCK = 0,
    ENTER_SUBBLOCK = 1,
    DEFINE_ABBREV = 2,
    UNABBREV_RECORD = 3,
    FIRST_ABBREV = 4
};
enum {
    ENCODE_FIXED = 1,
    ENCODE_VBR = 2,
    ENCODE_ARRAY = 3,
    ENCODE_CHAR6 = 4,
    ENCODE_LITERAL = 8
};
enum { IDENTIFICATION_BLOCK = 13, IDENTIFICATION_STRING = 1 };

#define ABBREVS_MAX 8
#define OPERANDS_MAX 8
#define TOP_LEVEL_WIDTH 2

static const uint8_t magic[] = {'B', 'C', 0xc0, 0xde};

typedef struct bit_reader {
    const uint8_t *bytes;
    uint64_t bits;
    uint64_t at;
    bool failed; /* set by the first read outside; reads return 0 from then on */
} bit_reader;

typedef struct operand {
    unsigned encoding;
    uint64_t value; /* of a literal, or the width of a field */
} operand;

typedef struct abbrev {
    unsigned count;
    operand operands[OPERANDS_MAX];
} abbrev;

typedef struct record {
    uint64_t code;
    unsigned count; /* numbers behind the code */
    char text[TCI_PRODUCER_TEXT_MAX];
} record;

static uint64_t read_fixed(bit_reader *r, uint64_t width)
{
    uint64_t value = 0;
    if (r->failed || width > 64 || width > r->bits - r->at) {
        r->failed = true;
        return 0;
    }
    for (uint64_t i = 0; i < width; i++, r->at++)
        value |= (uint64_t)(r->bytes[r->at / 8] >> (r->at % 8) & 1) << i;
    return value;
}

/* Reads groups of `width` bits; the highest bit of each states whether another follows. */
static uint64_t read_vbr(bit_reader *r, uint64_t width)
{
    uint64_t value = 0;
    if (width < 2 || width > 32) {
        r->failed = true;
        return 0;
    }
    for (uint64_t shift = 0; shift < 64; shift += width - 1) {
        uint64_t group = read_fixed(r, width);
        uint64_t more = (uint64_t)1 << (width - 1);
        value |= (group & (more - 1)) << shift;
        if ((group & more) == 0)
            return value;
    }
    r->failed = true;
    return 0;
}

static uint64_t read_scalar(bit_reader *r, const operand *op)
{
    static const char char6[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    switch (op->encoding) {
    case ENCODE_LITERAL:
        return op->value;
    case ENCODE_FIXED:
        return read_fixed(r, op->value);
    case ENCODE_VBR:
        return read_vbr(r, op->value);
    case ENCODE_CHAR6:
        return (uint64_t)char6[read_fixed(r, 6)];
    default:
        r->failed = true;
        return 0;
    }
}

static void read_abbrev(bit_reader *r, abbrev *a)
{
    uint64_t count = read_vbr(r, 5);
    if (count > OPERANDS_MAX) {
        r->failed = true;
        return;
    }
    a->count = (unsigned)count;
    for (unsigned i = 0; i < a->count; i++) {
        operand *op = &a->operands[i];
        bool literal = read_fixed(r, 1) != 0;
        op->encoding = literal ? ENCODE_LITERAL : (unsigned)read_fixed(r, 3);
        op->value = 0;
        if (literal)
            op->value = read_vbr(r, 8);
        else if (op->encoding == ENCODE_FIXED || op->encoding == ENCODE_VBR)
            op->value = read_vbr(r, 5);
    }
}

/* Keeps a number of a record. The first one is the record's code; the others are taken as
 * characters, since all records of interest are texts. */
static void keep(record *rec, unsigned index, uint64_t value)
{
    if (index == 0)
        rec->code = value;
    else if (index < TCI_PRODUCER_TEXT_MAX) /* one byte stays for the terminator */
        rec->text[index - 1] = value >= 0x20 && value < 0x7f ? (char)value : '?';
}

static void read_abbreviated(bit_reader *r, const abbrev *a, record *rec)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < a->count && !r->failed; i++) {
        if (a->operands[i].encoding != ENCODE_ARRAY) {
            keep(rec, kept++, read_scalar(r, &a->operands[i]));
            continue;
        }
        uint64_t length = read_vbr(r, 6);
        if (i + 1 >= a->count || length > TCI_PRODUCER_TEXT_MAX) {
            r->failed = true;
            return;
        }
        for (i++; length > 0; length--)
            keep(rec, kept++, read_scalar(r, &a->operands[i]));
    }
}

static void read_unabbreviated(bit_reader *r, record *rec)
{
    keep(rec, 0, read_vbr(r, 6));
    uint64_t count = read_vbr(r, 6);
    if (count > TCI_PRODUCER_TEXT_MAX) {
        r->failed = true;
        return;
    }
    for (unsigned i = 1; i <= count; i++)
        keep(rec, i, read_vbr(r, 6));
}

/* Searches a block for the string. The reader is inside the block, behind its header. */
static bool find_string(bit_reader *r, uint64_t width, record *rec)
{
    abbrev abbrevs[ABBREVS_MAX];
    unsigned abbrev_count = 0;
    while (!r->failed) {
        uint64_t id = read_fixed(r, width);
        *rec = (record){0};
        if (id == END_BLOCK || id == ENTER_SUBBLOCK)
            return false;
        if (id == DEFINE_ABBREV) {
            if (abbrev_count == ABBREVS_MAX)
                return false;
            read_abbrev(r, &abbrevs[abbrev_count++]);
            continue;
        }
        if (id == UNABBREV_RECORD)
            read_unabbreviated(r, rec);
        else if (id - FIRST_ABBREV < abbrev_count)
            read_abbreviated(r, &abbrevs[id - FIRST_ABBREV], rec);
        else
            return false;
        if (!r->failed && rec->code == IDENTIFICATION_STRING)
            return true;
    }
    return false;
}

bool tci_bitcode_has_magic(const void *bytes, size_t size)
{
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool tci_bitcode_producer(const void *bytes, size_t size, tci_producer *producer_out)
{
    bit_reader r = {.bytes = bytes, .bits = (uint64_t)size * 8, .at = sizeof magic * 8};
    record rec;
    if (!tci_bitcode_has_magic(bytes, size))
        return false;
    if (read_fixed(&r, TOP_LEVEL_WIDTH) != ENTER_SUBBLOCK ||
        read_vbr(&r, 8) != IDENTIFICATION_BLOCK)
        return false;
    uint64_t width = read_vbr(&r, 4);
    r.at = (r.at + 31) / 32 * 32;
    if (r.at > r.bits || width < 2 || width > 32)
        return false;
    (void)read_fixed(&r, 32); /* length of the block in words */
    if (!find_string(&r, width, &rec) || strncmp(rec.text, "LLVM", 4) != 0)
        return false;
    unsigned long major = strtoul(rec.text + 4, NULL, 10);
    if (major == 0 || major > 9999)
        return false;
    memcpy(producer_out->text, rec.text, sizeof rec.text);
    producer_out->major = (unsigned)major;
    return true;
}
