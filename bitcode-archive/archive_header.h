/* The part of an archive around its content: magic, version, packing, sizes, checksum. */
#ifndef TCI_ARCHIVE_HEADER_H
#define TCI_ARCHIVE_HEADER_H

#include "archive_pack.h"
#include "base/cursor.h"

typedef struct tci_archive_header {
    tci_packing packing;
    size_t dictionary;   /* its index, or TCI_DICTIONARY_NONE */
    size_t content_size; /* unpacked */
} tci_archive_header;

/* Checks the checksum and all claims about the content, and leaves r at the packed content,
 * which fills it. Statuses of tci_archive_open. */
TC_MUST_CHECK tc_status tci_archive_header_read(const uint8_t *bytes, size_t size,
                                                tci_archive_header *header, tci_reader *r,
                                                tc_error *err);

#endif
