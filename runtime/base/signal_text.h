/* Puts a text together in a signal handler, which must not format texts with the C library. */
#ifndef TCI_SIGNAL_TEXT_H
#define TCI_SIGNAL_TEXT_H

#include "base/content_id.h"

#include <stddef.h>
#include <stdint.h>

/* Begins with the buffer and its capacity; the rest is 0. */
typedef struct tci_signal_text {
    char *at;
    size_t capacity;
    size_t length; /* of the whole text, also where it does not fit */
} tci_signal_text;

void tci_signal_text_add(tci_signal_text *out, const char *text);
void tci_signal_text_add_number(tci_signal_text *out, uint64_t number, unsigned base);
void tci_signal_text_add_id(tci_signal_text *out, const tci_content_id *id);

/* Writes the terminator. Returns the length of the whole text. */
size_t tci_signal_text_end(tci_signal_text *out);

#endif
