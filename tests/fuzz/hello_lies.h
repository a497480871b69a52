/* False hello messages, made from a real one, or from nothing. */
#ifndef TC_FUZZ_HELLO_LIES_H
#define TC_FUZZ_HELLO_LIES_H

#include "wire/hello.h"

/* Sets the size and the checksum of a message of at least a preamble. */
void hello_lies_seal(uint8_t *message, size_t size);

/* A HELLO with one field changed: a number, or another part. Returns its size; 0: it was not a
 * HELLO, or there is no such HELLO. */
size_t hello_lies_change(const void *hello, size_t size, uint8_t how, bool numbers,
                         uint8_t out[TCI_HELLO_MESSAGE_MAX]);

/* READY, REFUSE, BYE or WAKEUP. Returns its size; 0: no message was made. */
size_t hello_lies_make_up(uint8_t how, uint8_t out[TCI_HELLO_MESSAGE_MAX]);

#endif
