/* How the content of an archive becomes fewer bytes. The one file that knows zstd. */
#ifndef TCI_ARCHIVE_PACK_H
#define TCI_ARCHIVE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* Values of the packing byte.
 *
 * Bitcode is a stream of bits whose fields rarely begin at a byte, so zstd, which compares
 * bytes, overlooks most of its repetitions. Spread to one byte per two bits, the same stream
 * packs 12 to 20 percent smaller. */
typedef enum tci_packing {
    TCI_PACKING_STORED = 0,
    TCI_PACKING_ZSTD = 1,
    TCI_PACKING_ZSTD_UNITS =
        2, /* every byte as four units of two bits, lowest first, one byte each */
} tci_packing;

/* Units take four times the content's memory for the time of unpacking, so larger contents go
 * without. */
#define TCI_PACK_UNITS_CONTENT_MAX (16u << 20)

/* What a claim of content_size may rest on: a few bytes of zstd can stand for gigabytes of
 * zeros. */
bool tci_pack_ratio_ok(size_t content_size, size_t packed_size);

/* NULL for a packing that this library does not know. */
const char *tci_packing_text(unsigned packing);

/* Packs by whichever packing gives the fewest bytes. *packed_out is for free(). TC_E_NO_MEMORY.
 */
TC_MUST_CHECK tc_status tci_pack(const uint8_t *content, size_t size, uint8_t **packed_out,
                                 size_t *packed_size_out, tci_packing *packing_out,
                                 tc_error *err);

/* Fills all of content, or says TC_E_CORRUPT: the packed bytes are damaged, or hold less or
 * more. TC_E_NO_MEMORY. Only for the packings with zstd; stored bytes are their own content. */
TC_MUST_CHECK tc_status tci_unpack(tci_packing packing, const uint8_t *packed,
                                   size_t packed_size, uint8_t *content, size_t size,
                                   tc_error *err);

#endif
