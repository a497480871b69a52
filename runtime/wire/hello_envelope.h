/* The part that all kinds of hello message share: the preamble and its checksum. For this
 * folder only. */
#ifndef TCI_HELLO_ENVELOPE_H
#define TCI_HELLO_ENVELOPE_H

#include "base/cursor.h"
#include "hello.h"

/* of a HELLO or ADDRESS body, before the fields of variable size */
#define TCI_HELLO_FIXED_BYTES 101u
#define TCI_HELLO_REFUSE_FIXED_BYTES 4u

/* Checks the preamble, the sizes and the checksum of one whole message; *body_out reads its
 * body. Returns the statuses of tci_hello_decode. */
TC_MUST_CHECK tc_status tci_hello_open(const void *bytes, size_t size, tci_hello_kind kind,
                                       tci_reader *body_out, tc_error *err);

/* Begins a message in buf: *body_out writes its body. */
void tci_hello_begin(void *buf, size_t size, tci_writer *body_out);

/* Writes the preamble before the finished body. TC_E_TOO_LARGE when the two did not fit. */
TC_MUST_CHECK tc_status tci_hello_end(const tci_writer *body, tci_hello_kind kind,
                                      size_t *size_out);

/* Returns the number of leading bytes that are printable ASCII. */
size_t tci_hello_printable(const void *text, size_t size);

#endif
