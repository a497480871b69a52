/* Checks the unwind tables of an image: the parts that the unwinder of the process reads as
 * soon as they are registered, when nothing has been thrown (LSB 5.0, 10.6 "Exception Frames").
 * The parts that it reads after a throw belong to the function's own code. */
#ifndef TCI_IMAGE_UNWIND_H
#define TCI_IMAGE_UNWIND_H

#include "image.h"

/* Checks the tables of an image that has them; its segments and relocations are checked
 * already. TC_E_CORRUPT: an unwinder would read outside of them, or they do not end where they
 * should. */
TC_MUST_CHECK tc_status tci_image_unwind_check(const tci_image *image, tc_error *err);

#endif
