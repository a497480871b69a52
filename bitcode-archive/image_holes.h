/* The holes of an image: constants that the sender of its function sets. */
#ifndef TCI_IMAGE_HOLES_H
#define TCI_IMAGE_HOLES_H

#include "image.h"

/* Reads the list of an image. TC_E_CORRUPT, TC_E_TOO_LARGE. */
TC_MUST_CHECK tc_status tci_image_holes_read(tci_reader *r, tci_image *image, tc_error *err);

/* Checks each hole against the memory around it, once the segments have their bytes.
 * TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_image_holes_check(const tci_image *image, tc_error *err);

/* Expects one value for each hole of the image, in their order and of their sizes.
 * TC_E_INVALID. */
TC_MUST_CHECK tc_status tci_image_holes_fit(const tci_image *image, const tci_values *values,
                                            tc_error *err);

/* Expects values, if the image has holes. TC_E_INVALID. */
TC_MUST_CHECK tc_status tci_image_holes_check_filled(const tci_image *image, tc_error *err);

/* Writes the list; nothing without holes. */
void tci_image_holes_write(tci_writer *w, const tci_image_source *source);

#endif
