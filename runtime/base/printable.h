/* Text that quotes bytes from outside, made such that it neither breaks a line nor moves a
 * cursor nor turns a reader's direction. Control characters become '?', and bytes above 0x7f
 * (which may be controls too, or marks of Unicode) stand as \xNN. */
#ifndef TCI_PRINTABLE_H
#define TCI_PRINTABLE_H

#include <stddef.h>

#define TCI_PRINTABLE_BYTES 5u /* of one byte's text, with terminator */

/* Returns the length. */
size_t tci_printable_byte(unsigned char byte, char out[TCI_PRINTABLE_BYTES]);

/* In place; what then needs more than capacity is cut off between two bytes. */
void tci_printable_text(char *text, size_t capacity);

#endif
