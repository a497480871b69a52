#include "printable.h"

#include <stdbool.h>
#include <string.h>

size_t tci_printable_byte(unsigned char byte, char out[TCI_PRINTABLE_BYTES])
{
    static const char digits[] = "0123456789abcdef";
    size_t length = 1;
    out[0] = (char)byte;
    if (byte < 0x20 || byte == 0x7f) {
        out[0] = '?';
    } else if (byte > 0x7f) {
        memcpy(out, "\\x", 2);
        out[2] = digits[byte >> 4];
        out[3] = digits[byte & 0xf];
        length = 4;
    }
    out[length] = '\0';
    return length;
}

/* Returns how many bytes of the text fit when they are written out; *length_out is their length
 * then. */
static size_t fitting(const char *text, size_t capacity, size_t *length_out)
{
    char out[TCI_PRINTABLE_BYTES];
    size_t count = 0, length = 0;
    for (; text[count] != '\0'; count++) {
        size_t added = tci_printable_byte((unsigned char)text[count], out);
        if (length + added >= capacity)
            break;
        length += added;
    }
    *length_out = length;
    return count;
}

/* Returns whether the text needs no change, as nearly every text. */
static bool is_printable(const char *text)
{
    while (*text >= 0x20 && *text < 0x7f)
        text++;
    return *text == '\0';
}

void tci_printable_text(char *text, size_t capacity)
{
    char out[TCI_PRINTABLE_BYTES];
    size_t at;
    if (is_printable(text))
        return;
    size_t count = fitting(text, capacity, &at);
    text[at] = '\0';
    while (count > 0) { /* from the end, since no byte becomes shorter */
        size_t length = tci_printable_byte((unsigned char)text[--count], out);
        at -= length;
        memcpy(text + at, out, length);
    }
}
