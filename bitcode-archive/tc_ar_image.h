/* What is inside an image slice, for `tc-ar show`. */
#ifndef TCI_TC_AR_IMAGE_H
#define TCI_TC_AR_IMAGE_H

#include "archive.h"

/* Lines, indented; with `all` one for each relocation too. An image that cannot be read gets a
 * line that says why. */
void tci_ar_print_image(const tci_archive *archive, size_t index, bool all);

/* ,"image":{...} behind the other members of a slice's object; "error" in it when the image
 * cannot be read. */
void tci_ar_print_image_json(const tci_archive *archive, size_t index, bool all);

/* Text from a file, as a JSON string: names need not be UTF-8, so a byte above 0x7f stands as
 * the character of that number. */
void tci_ar_print_json_text(const char *text, size_t length);

/* Text from a file, for a terminal: control characters as '?'. */
void tci_ar_print_clean(const char *text, size_t length);

#endif
