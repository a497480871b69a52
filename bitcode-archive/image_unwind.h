/* The unwind tables of an image: what the unwinder of the process reads of them as soon as it is
 * told of them, at a time when nothing has been thrown (LSB 5.0, 10.6 "Exception Frames"). What it
 * reads when something is thrown is that function's own code. */
#ifndef TCI_IMAGE_UNWIND_H
#define TCI_IMAGE_UNWIND_H

#include "image.h"

/* Of an image that says where they are; its segments and relocations are checked already.
 * TC_E_CORRUPT: an unwinder would read outside of them, or they do not end where they should. */
TC_MUST_CHECK tc_status tci_image_unwind_check(const tci_image *image, tc_error *err);

#endif
