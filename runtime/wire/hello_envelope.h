/* What is the same for every kind of hello message: the preamble and its checksum. Of no use
 * outside this folder. */
#ifndef TCI_HELLO_ENVELOPE_H
#define TCI_HELLO_ENVELOPE_H

#include "base/cursor.h"
#include "hello.h"

#define TCI_HELLO_FIXED_BYTES 101u /* of a HELLO or ADDRESS body, before what varies in size */
#define TCI_HELLO_REFUSE_FIXED_BYTES 4u

/* Checks the preamble, the sizes and the checksum of one whole message; *body_out reads its
 * body. Statuses as tci_hello_decode's. */
TC_MUST_CHECK tc_status tci_hello_open(const void *bytes, size_t size, tci_hello_kind kind,
                                       tci_reader *body_out, tc_error *err);

/* Begins a message in buf: *body_out writes its body. */
void tci_hello_begin(void *buf, size_t size, tci_writer *body_out);

/* Puts the preamble before the body that was written. TC_E_TOO_LARGE when the two did not fit.
 */
TC_MUST_CHECK tc_status tci_hello_end(const tci_writer *body, tci_hello_kind kind,
                                      size_t *size_out);

/* How many of the bytes, from the first on, are printable ASCII. */
size_t tci_hello_printable(const void *text, size_t size);

#endif
