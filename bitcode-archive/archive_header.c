#include "archive_header.h"

#include "archive.h"
#include "archive_dictionary.h"
#include "archive_layout.h"
#include "base/error_text.h"
#include "base/module_absent.h"
#include "varint.h"

#include <stdio.h>
#include <string.h>

static tc_status check_envelope(const uint8_t *bytes, size_t size, tc_error *err)
{
    if (size < TCI_ARCHIVE_SIZE_MIN)
        return tci_error_set(err, TC_E_CORRUPT, "archive: %zu bytes, expected at least %u",
                             size, TCI_ARCHIVE_SIZE_MIN);
    if (memcmp(bytes, TCI_ARCHIVE_MAGIC, TCI_ARCHIVE_MAGIC_SIZE) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "archive: begins with bytes %02x %02x %02x, expected '%s'",
                             bytes[0], bytes[1], bytes[2], TCI_ARCHIVE_MAGIC);
    uint8_t checksum[TCI_ARCHIVE_CHECKSUM_SIZE];
    tci_archive_checksum(bytes, size - sizeof checksum, checksum);
    if (memcmp(checksum, bytes + size - sizeof checksum, sizeof checksum) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "archive: damaged or cut short: the checksum of its %zu bytes "
                             "does not fit",
                             size);
    return TC_OK;
}

static tc_status check_content_size(size_t content_size, size_t packed_size,
                                    tci_packing packing, tc_error *err)
{
    size_t limit = packing == TCI_PACKING_ZSTD_UNITS ? TCI_PACK_UNITS_CONTENT_MAX
                                                     : TCI_ARCHIVE_CONTENT_MAX;
    if (content_size > limit)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "archive: content of %zu bytes (%s), limit %zu", content_size,
                             tci_packing_text(packing), limit);
    if (!tci_pack_ratio_ok(content_size, packed_size))
        return tci_error_set(
            err, TC_E_TOO_LARGE,
            "archive: claims %zu bytes of content in %zu bytes, limit 1,024 to 1", content_size,
            packed_size);
    if (packing == TCI_PACKING_STORED && content_size != packed_size)
        return tci_error_set(err, TC_E_CORRUPT,
                             "archive: %zu bytes of stored content, expected %zu", packed_size,
                             content_size);
    return TC_OK;
}

static tc_status find_dictionary(tci_archive_header *header, uint32_t id, tc_error *err)
{
    char known[TCI_DICTIONARIES_MAX * 9 + 1] = "";
    header->dictionary = tci_dictionary_find(id);
    if (id != TCI_ARCHIVE_NO_DICTIONARY && header->packing != TCI_PACKING_ZSTD_UNITS)
        return tci_error_set(err, TC_E_VERSION,
                             "archive: packing %u with dictionary %08x, expected packing %u",
                             header->packing, id, TCI_PACKING_ZSTD_UNITS);
    if (id == TCI_ARCHIVE_NO_DICTIONARY || header->dictionary != TCI_DICTIONARY_NONE)
        return TC_OK;
    if (tci_dictionary_count() == 0)
        return tci_module_absent("an archive packed with a dictionary", "dictionaries", err);
    for (size_t i = 0; i < tci_dictionary_count(); i++)
        (void)snprintf(known + 9 * i, 10, " %08x", tci_dictionary_at(i)->id);
    return tci_error_set(err, TC_E_VERSION,
                         "archive: packed with dictionary %08x, this library has%s", id, known);
}

tc_status tci_archive_header_read(const uint8_t *bytes, size_t size, tci_archive_header *header,
                                  tci_reader *r, tc_error *err)
{
    TC_TRY(check_envelope(bytes, size, err));
    tci_reader_init(r, bytes, size - TCI_ARCHIVE_CHECKSUM_SIZE);
    (void)tci_read_bytes(r, TCI_ARCHIVE_MAGIC_SIZE);
    uint8_t version = tci_read_u8(r);
    if (version != TCI_ARCHIVE_VERSION)
        return tci_error_set(err, TC_E_VERSION,
                             "archive: format version %u, this library reads version %u",
                             version, TCI_ARCHIVE_VERSION);
    uint8_t packing = tci_read_u8(r);
    uint32_t dictionary = tci_varint_read(r);
    header->content_size = tci_varint_read(r);
    if (r->failed)
        return tci_error_set(err, TC_E_CORRUPT, "archive: malformed header");
    if (tci_packing_text(packing) == NULL)
        return tci_error_set(err, TC_E_VERSION,
                             "archive: packing %u, this library knows 0 to %u", packing,
                             TCI_PACKING_ZSTD_UNITS);
    header->packing = (tci_packing)packing;
    TC_TRY(find_dictionary(header, dictionary, err));
    return check_content_size(header->content_size, tci_reader_left(r), header->packing, err);
}
