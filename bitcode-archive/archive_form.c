#include "archive_form.h"

#include "archive_layout.h"
#include "base/error_text.h"

#include <assert.h>
#include <stdlib.h>

/* Header, packed content, checksum. */
static tc_status build_archive(size_t content_size, const tci_packed *packed, void **bytes_out,
                               size_t *size_out, tc_error *err)
{
    size_t bound = TCI_ARCHIVE_HEADER_MAX + packed->size + TCI_ARCHIVE_CHECKSUM_SIZE;
    uint8_t *bytes = malloc(bound);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive: no memory for %zu bytes", bound);
    uint8_t checksum[TCI_ARCHIVE_CHECKSUM_SIZE];
    tci_writer w;
    tci_writer_init(&w, bytes, bound);
    tci_write_bytes(&w, TCI_ARCHIVE_MAGIC, TCI_ARCHIVE_MAGIC_SIZE);
    tci_write_u8(&w, TCI_ARCHIVE_VERSION);
    tci_write_u8(&w, (uint8_t)packed->packing);
    tci_varint_write(&w, packed->dictionary);
    tci_varint_write(&w, (uint32_t)content_size);
    tci_write_bytes(&w, packed->bytes, packed->size);
    tci_archive_checksum(bytes, w.at, checksum);
    tci_write_bytes(&w, checksum, sizeof checksum);
    assert(!w.failed);
    *bytes_out = bytes;
    *size_out = w.at;
    return TC_OK;
}

tc_status tci_archive_form_pack(const uint8_t *content, size_t content_size,
                                tci_pack_effort effort, void **bytes_out, size_t *size_out,
                                tc_error *err)
{
    tci_packed packed;
    TC_TRY(tci_pack(content, content_size, effort, &packed, err));
    tc_status status = build_archive(content_size, &packed, bytes_out, size_out, err);
    free(packed.bytes);
    return status;
}

tc_status tci_archive_form_store(const uint8_t *content, size_t content_size, void **bytes_out,
                                 size_t *size_out, tc_error *err)
{
    const tci_packed stored = {.bytes = (uint8_t *)(uintptr_t)content, /* only read */
                               .size = content_size,
                               .packing = TCI_PACKING_STORED,
                               .dictionary = TCI_ARCHIVE_NO_DICTIONARY};
    return build_archive(content_size, &stored, bytes_out, size_out, err);
}
