/* Bytes as a filled archive: as they are, and once more with a checksum that fits. One that is
 * read has values within their limits, and is written as the very same bytes. */
#include "archive_layout.h"
#include "filled_archive.h"
#include "fuzzer.h"

#include <string.h>
#include <tc/status.h>

static void check(const uint8_t *data, size_t size)
{
    uint8_t written[TCI_FILLED_BYTES_MAX];
    tci_filled_archive filled;
    tc_error err = {.status = TC_OK};
    const tc_status status = tci_filled_archive_read(data, size, &filled, &err);
    if (status != TC_OK) {
        MUST(err.status == status && err.text[0] != '\0');
        return;
    }
    MUST(tci_filled_archive_is(data, size));
    MUST(filled.values.count >= 1 && filled.values.count <= TCI_HOLES_MAX);
    for (uint32_t i = 0; i < filled.values.count; i++) {
        const tci_value *value = &filled.values.items[i];
        MUST(value->size >= 1 && value->size <= TCI_HOLE_BYTES_MAX);
        MUST(value->bytes >= data && value->bytes + value->size <= data + size);
    }
    MUST(tci_filled_archive_write(&filled, written) == size);
    MUST(memcmp(written, data, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size);
    uint8_t *fitting = malloc(size + TCI_ARCHIVE_CHECKSUM_SIZE);
    if (fitting == NULL)
        return 0;
    if (size > 0)
        memcpy(fitting, data, size);
    tci_archive_checksum(fitting, size, fitting + size);
    check(fitting, size + TCI_ARCHIVE_CHECKSUM_SIZE);
    free(fitting);
    return 0;
}
