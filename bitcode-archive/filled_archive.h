/* A filled archive (format version 2): the code of another archive, which it names by its id,
 * with values for that code's holes. docs/archive-format.md has its bytes.
 *
 * It travels wherever an archive does, and its content id is that of an archive. */
#ifndef TCI_FILLED_ARCHIVE_H
#define TCI_FILLED_ARCHIVE_H

#include "archive.h"
#include "base/content_id.h"

#define TCI_FILLED_VERSION 2u /* where an archive has its version */
/* Magic, version, id, two numbers, each value with its size, checksum. */
#define TCI_FILLED_BYTES_MAX                                                                   \
    (3u + 1u + 16u + 5u + 1u + TCI_HOLES_MAX * (2u + TCI_HOLE_BYTES_MAX) + 8u)

typedef struct tci_filled_archive {
    tci_content_id code;   /* of the archive and the .deps beside it */
    uint32_t archive_size; /* of that archive */
    tci_values values;     /* views of the bytes read */
} tci_filled_archive;

/* Returns whether bytes begin as a filled archive does, and checks no more. */
bool tci_filled_archive_is(const void *bytes, size_t size);

/* Checks all of the bytes; *out has views of them. TC_E_CORRUPT (also bytes that begin in
 * another way), TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_filled_archive_read(const void *bytes, size_t size,
                                                tci_filled_archive *out, tc_error *err);

/* Writes at most TCI_FILLED_BYTES_MAX bytes, and returns their number. The values are within
 * the limits of archive.h. */
size_t tci_filled_archive_write(const tci_filled_archive *filled, uint8_t *out);

#endif
