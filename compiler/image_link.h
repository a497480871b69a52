/* From an ELF object to a shared object laid out as an image is, by running lld. */
#ifndef TCI_IMAGE_LINK_H
#define TCI_IMAGE_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

typedef enum tci_image_constants {
    TCI_CONSTANTS_IN_CODE, /* one segment less: no page for a few bytes */
    TCI_CONSTANTS_APART    /* readable, but not to be run */
} tci_image_constants;

/* The shared object's memory begins at 0 with code, then come constants (when apart) and data,
 * each at a multiple of page_bytes; what only a dynamic loader would read is a segment of its
 * own behind them. For free(). TC_E_NOT_FOUND: there is no lld. TC_E_COMPILE, TC_E_TOO_LARGE,
 * TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_image_link(const void *object, size_t size, uint32_t page_bytes,
                                       tci_image_constants constants, void **bytes_out,
                                       size_t *size_out, tc_error *err);

/* The program that would be run: environment variable TC_LLD, or the one found when this was
 * built. */
const char *tci_image_link_program(void);

#endif
