/* The packing of archives in the one-file library, instead of bitcode-archive/archive_pack.c,
 * which links libzstd: all packings are read, by zstd_frame.c; archives that it writes itself
 * are stored. */
#include "archive_pack.h"

#include "archive.h"
#include "archive_layout.h"
#include "archive_units.h"
#include "base/error_text.h"
#include "zstd_frame.h"

#include <stdlib.h>
#include <string.h>

#define RATIO_MAX 1024u
#define RATIO_FLOOR 65536u /* content up to this many bytes needs no justification */

bool tci_pack_ratio_ok(size_t content_size, size_t packed_size)
{
    return content_size <= RATIO_FLOOR || content_size / RATIO_MAX <= packed_size;
}

const char *tci_packing_text(unsigned packing)
{
    static const char *const texts[] = {[TCI_PACKING_STORED] = "stored",
                                        [TCI_PACKING_ZSTD] = "zstd",
                                        [TCI_PACKING_ZSTD_UNITS] = "zstd of 2-bit units"};
    return packing < sizeof texts / sizeof texts[0] ? texts[packing] : NULL;
}

tc_status tci_pack(const uint8_t *content, size_t size, tci_pack_effort effort,
                   tci_packed *packed_out, tc_error *err)
{
    (void)effort;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                             size);
    memcpy(bytes, content, size);
    *packed_out = (tci_packed){.bytes = bytes,
                               .size = size,
                               .packing = TCI_PACKING_STORED,
                               .dictionary = TCI_ARCHIVE_NO_DICTIONARY};
    return TC_OK;
}

/* Nothing is kept for the next archive. */
void tci_archive_prepare(void)
{
}

static tc_status unpack_frame(const uint8_t *packed, size_t packed_size, uint8_t *out,
                              size_t size, tc_error *err)
{
    const char *damage = tci_zstd_frame_unpack(packed, packed_size, out, size);
    return damage == NULL ? TC_OK
                          : tci_error_set(err, TC_E_CORRUPT,
                                          "archive content: damaged zstd frame: %s", damage);
}

tc_status tci_unpack(tci_packing packing, size_t dictionary, const uint8_t *packed,
                     size_t packed_size, uint8_t *content, size_t size, tc_error *err)
{
    (void)dictionary; /* readers refuse archives that need one */
    if (packing == TCI_PACKING_ZSTD)
        return unpack_frame(packed, packed_size, content, size, err);

    size_t units_size = size * TCI_UNITS_PER_BYTE;
    uint8_t *units = malloc(units_size);
    if (units == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "archive content: no memory for %zu bytes",
                             units_size);
    tc_status status = unpack_frame(packed, packed_size, units, units_size, err);
    if (status == TC_OK && !tci_units_gather(units, content, size))
        status =
            tci_error_set(err, TC_E_CORRUPT, "archive content: a unit of more than two bits");
    free(units);
    return status;
}
