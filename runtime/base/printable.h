/* Text that quotes bytes from outside, changed so that it cannot break a line, move a cursor or
 * turn the direction of reading. Control characters become '?', and bytes above 0x7f (which may
 * be controls too, or marks of Unicode) become \xNN. */
#ifndef TCI_PRINTABLE_H
#define TCI_PRINTABLE_H

#include <stddef.h>

#define TCI_PRINTABLE_BYTES 5u /* of one byte's text, with terminator */

/* Writes the text of one byte and returns its length. */
size_t tci_printable_byte(unsigned char byte, char out[TCI_PRINTABLE_BYTES]);

/* Changes the text itself. The result is cut off at the capacity, between the texts of two
 * bytes. */
void tci_printable_text(char *text, size_t capacity);

#endif
