/* The bytes that a member of a job publishes to the others: the address that it listens at, and
 * from rank 0 also the key of the job, if it has one. The bytes are secret then.
 *
 *     host:port            printable ASCII, 1 to 300 characters
 *     0, 'K', 32 bytes     the key; nothing follows
 *
 * Pure functions. */
#ifndef TCI_JOB_ADDRESS_H
#define TCI_JOB_ADDRESS_H

#include "rendezvous.h"
#include "tls_ops.h"

#define TCI_JOB_ADDRESS_TEXT_MAX 300u

typedef struct tci_job_address {
    const char *text; /* a view, unterminated */
    size_t size;
    const uint8_t *key; /* a view of TCI_TLS_KEY_BYTES, or NULL */
} tci_job_address;

/* Returns the number of bytes; 0: the text is too long. */
size_t tci_job_address_encode(const tci_job_address *address,
                              uint8_t out[TCI_RENDEZVOUS_ADDRESS_MAX]);

/* TC_E_CORRUPT: it has another form. The text names no byte of it. */
TC_MUST_CHECK tc_status tci_job_address_decode(const void *bytes, size_t size,
                                               tci_job_address *address_out, tc_error *err);

#endif
