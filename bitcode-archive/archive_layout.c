#include "archive_layout.h"

#include "base/content_id.h"

#include <string.h>

static const char *const target_triples[] = {
    [TCI_TARGET_TEXT] = NULL,
    [TCI_TARGET_X86_64_LINUX] = "x86_64-linux",
    [TCI_TARGET_AARCH64_LINUX] = "aarch64-linux",
};

#define TARGET_COUNT (sizeof target_triples / sizeof target_triples[0])

const char *tci_target_triple(unsigned target)
{
    return target < TARGET_COUNT ? target_triples[target] : NULL;
}

uint8_t tci_target_number(const char *triple)
{
    for (size_t i = TCI_TARGET_TEXT + 1; i < TARGET_COUNT; i++) {
        if (strcmp(triple, target_triples[i]) == 0)
            return (uint8_t)i;
    }
    return TCI_TARGET_TEXT;
}

uint32_t tci_read_varint(tci_reader *r)
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

void tci_write_varint(tci_writer *w, uint32_t value)
{
    while (value >= 0x80) {
        tci_write_u8(w, (uint8_t)(value | 0x80));
        value >>= 7;
    }
    tci_write_u8(w, (uint8_t)value);
}

void tci_archive_checksum(const void *bytes, size_t size,
                          uint8_t out[TCI_ARCHIVE_CHECKSUM_SIZE])
{
    uint8_t hash[16];
    tci_hash128(bytes, size, hash);
    memcpy(out, hash, TCI_ARCHIVE_CHECKSUM_SIZE);
}
