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

void tci_archive_checksum(const void *bytes, size_t size,
                          uint8_t out[TCI_ARCHIVE_CHECKSUM_SIZE])
{
    uint8_t hash[16];
    tci_hash128(bytes, size, hash);
    memcpy(out, hash, TCI_ARCHIVE_CHECKSUM_SIZE);
}
