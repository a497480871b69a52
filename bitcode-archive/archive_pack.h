/* Compresses the content of an archive. Only this module and archive_dictionary.c use zstd. */
#ifndef TCI_ARCHIVE_PACK_H
#define TCI_ARCHIVE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

/* Values of the packing byte. */
typedef enum tci_packing {
    TCI_PACKING_STORED = 0,
    TCI_PACKING_ZSTD = 1,
    TCI_PACKING_ZSTD_UNITS = 2, /* of archive_units.h; the one that uses dictionaries */
} tci_packing;

/* Units take four times the content's memory while it is unpacked, so larger contents are
 * packed without them. */
#define TCI_PACK_UNITS_CONTENT_MAX (16u << 20)

/* Returns whether packed_size justifies a claim of content_size: a few bytes of zstd can stand
 * for gigabytes of zeros. */
bool tci_pack_ratio_ok(size_t content_size, size_t packed_size);

/* Returns NULL for a packing that this library does not know. */
const char *tci_packing_text(unsigned packing);

typedef struct tci_packed {
    uint8_t *bytes; /* for free() */
    size_t size;
    tci_packing packing;
    uint32_t dictionary; /* TCI_ARCHIVE_NO_DICTIONARY, or an id */
} tci_packed;

typedef enum tci_pack_effort {
    TCI_PACK_QUICK, /* without dictionaries, in a tenth of the time for a few bytes more */
    TCI_PACK_PLAIN, /* without dictionaries */
    TCI_PACK_SMALLEST
} tci_pack_effort;

/* Packs by the packing that gives the fewest bytes, the id of a dictionary counted.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_pack(const uint8_t *content, size_t size, tci_pack_effort effort,
                                 tci_packed *packed_out, tc_error *err);

/* Fills all of content, or returns TC_E_CORRUPT: the packed bytes are damaged, or hold less or
 * more. TC_E_NO_MEMORY. `dictionary` is the index of one, or TCI_DICTIONARY_NONE. Only for the
 * packings with zstd; stored bytes are their own content. */
TC_MUST_CHECK tc_status tci_unpack(tci_packing packing, size_t dictionary,
                                   const uint8_t *packed, size_t packed_size, uint8_t *content,
                                   size_t size, tc_error *err);

#endif
