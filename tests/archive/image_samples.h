/* Images to test with, described for the writer. */
#ifndef TC_TEST_IMAGE_SAMPLES_H
#define TC_TEST_IMAGE_SAMPLES_H

#include "image.h"

/* A single segment of code: incq (%rdx); ret. */
tci_image_source sample_image_small(void);

/* All that the format has words for: code, constants and data with zeros behind them, three
 * entries, .eh_frame, weak names, every kind of relocation. */
tci_image_source sample_image_full(void);

/* The same for aarch64, where pages are larger. */
tci_image_source sample_image_full_aarch64(void);

/* Its bytes, for free(). Fails the test if they cannot be written. */
void *sample_image_bytes(const tci_image_source *source, size_t *size_out);

#endif
