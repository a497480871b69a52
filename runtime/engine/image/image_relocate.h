/* An image's bytes in their places, and every address in them filled in: pure functions on
 * memory, the same for every architecture. */
#ifndef TCI_IMAGE_RELOCATE_H
#define TCI_IMAGE_RELOCATE_H

#include "image.h"

/* Byte p of the image is written as data[p] in data segments and as fixed[p] in all others.
 * Where a segment's memory does not hold it, nothing is touched. */
typedef struct tci_image_views {
    uint8_t *fixed;
    uint8_t *data; /* all zero before */
} tci_image_views;

void tci_image_relocate_copy(const tci_image *image, const tci_image_views *views);

/* `base` is the address that place 0 will have. `imports` holds the addresses of the image's
 * weak names, then of its symbols; 0 for a weak name that nobody has. */
void tci_image_relocate(const tci_image *image, uint64_t base, const uint64_t *imports,
                        const tci_image_views *views);

#endif
