#include "filled_archive.h"

#include "archive_layout.h"
#include "base/error_text.h"
#include "varint.h"

#include <assert.h>
#include <string.h>

static const uint8_t head[] = {'T', 'C', 'A', TCI_FILLED_VERSION};

bool tci_filled_archive_is(const void *bytes, size_t size)
{
    return size >= sizeof head && memcmp(bytes, head, sizeof head) == 0;
}

static tc_status check_envelope(const uint8_t *bytes, size_t size, tc_error *err)
{
    uint8_t checksum[TCI_ARCHIVE_CHECKSUM_SIZE];
    if (!tci_filled_archive_is(bytes, size) || size < TCI_ARCHIVE_SIZE_MIN)
        return tci_error_set(err, TC_E_CORRUPT, "filled archive: %zu bytes that are none",
                             size);
    if (size > TCI_FILLED_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "filled archive: %zu bytes, limit %u", size,
                             TCI_FILLED_BYTES_MAX);
    tci_archive_checksum(bytes, size - sizeof checksum, checksum);
    if (memcmp(checksum, bytes + size - sizeof checksum, sizeof checksum) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "filled archive: the checksum of its %zu bytes does not fit",
                             size);
    return TC_OK;
}

static tc_status read_values(tci_reader *r, tci_values *values, tc_error *err)
{
    const uint32_t count = tci_varint_read(r);
    if (count > TCI_HOLES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "filled archive: %u values, limit %u", count,
                             TCI_HOLES_MAX);
    if (r->failed || count == 0)
        return tci_error_set(err, TC_E_CORRUPT, "filled archive: no values");
    for (; values->count < count; values->count++) {
        const uint32_t size = tci_varint_read(r);
        if (r->failed || size == 0 || size > TCI_HOLE_BYTES_MAX)
            return tci_error_set(err, TC_E_CORRUPT,
                                 "filled archive: value %u has %u bytes, expected 1 to %u",
                                 values->count, size, TCI_HOLE_BYTES_MAX);
        values->items[values->count] = (tci_value){tci_read_bytes(r, size), size};
        if (r->failed)
            return tci_error_set(err, TC_E_CORRUPT, "filled archive: value %u is cut short",
                                 values->count);
    }
    if (tci_reader_left(r) > 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "filled archive: %zu bytes behind its last value",
                             tci_reader_left(r));
    return TC_OK;
}

tc_status tci_filled_archive_read(const void *bytes, size_t size, tci_filled_archive *out,
                                  tc_error *err)
{
    tci_filled_archive filled = {.archive_size = 0};
    tci_reader r;
    TC_TRY(check_envelope(bytes, size, err));
    tci_reader_init(&r, bytes, size - TCI_ARCHIVE_CHECKSUM_SIZE);
    (void)tci_read_bytes(&r, sizeof head);
    const uint8_t *id = tci_read_bytes(&r, sizeof filled.code.bytes);
    filled.archive_size = tci_varint_read(&r);
    if (r.failed || filled.archive_size == 0)
        return tci_error_set(err, TC_E_CORRUPT, "filled archive: it names no code");
    memcpy(filled.code.bytes, id, sizeof filled.code.bytes);
    TC_TRY(read_values(&r, &filled.values, err));
    *out = filled;
    return TC_OK;
}

size_t tci_filled_archive_write(const tci_filled_archive *filled, uint8_t *out)
{
    tci_writer w;
    tci_writer_init(&w, out, TCI_FILLED_BYTES_MAX - TCI_ARCHIVE_CHECKSUM_SIZE);
    tci_write_bytes(&w, head, sizeof head);
    tci_write_bytes(&w, filled->code.bytes, sizeof filled->code.bytes);
    tci_varint_write(&w, filled->archive_size);
    tci_varint_write(&w, filled->values.count);
    for (uint32_t i = 0; i < filled->values.count; i++) {
        tci_varint_write(&w, filled->values.items[i].size);
        tci_write_bytes(&w, filled->values.items[i].bytes, filled->values.items[i].size);
    }
    assert(!w.failed);
    tci_archive_checksum(out, w.at, out + w.at);
    return w.at + TCI_ARCHIVE_CHECKSUM_SIZE;
}
