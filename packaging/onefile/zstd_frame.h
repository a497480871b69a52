/* Unpacks a frame of zstd's (RFC 8878) as archives have it: without magic, checksum and
 * dictionary. */
#ifndef TCI_ZSTD_FRAME_H
#define TCI_ZSTD_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* Fills all of `out`. Returns NULL, or a text about the damage: then `out` has any bytes. The
 * frame has to end with its last byte, and `out` to be full then. Takes 170 KB of memory
 * meanwhile; a lack of it has a text, too. */
const char *tci_zstd_frame_unpack(const uint8_t *frame, size_t frame_size, uint8_t *out,
                                  size_t size);

#endif
