/* The hello that the golden bytes hold, and the helpers of hello tests for it. */
#ifndef HELLO_SAMPLE_H
#define HELLO_SAMPLE_H

#include "wire/hello.h"

#define HELLO_SIZE_AT 8u
#define HELLO_CHECKSUM_AT 12u
#define HELLO_BODY_AT TCI_HELLO_PREAMBLE_BYTES

tci_hello_view hello_view(const char *text);
tci_hello hello_sample(void);

/* An attacker's step after changing a body. */
void hello_repair(uint8_t *message, size_t size);

void assert_same_hello(const tci_hello *a, const tci_hello *b);
void assert_contains(const tc_error *err, const char *part);

/* Must succeed; gives the size. */
size_t hello_encode(const tci_hello *h, tci_hello_kind kind,
                    uint8_t buf[TCI_HELLO_MESSAGE_MAX]);

#endif
