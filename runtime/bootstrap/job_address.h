/* The bytes that a member of a job publishes to the others: the address that it listens at,,
 * the program that it runs if the job's programs have names, and from rank 0 also the key of
 * the job, if it has one. The bytes are secret then.
 *
 *     host:port                printable ASCII, 1 to 300 characters
 *     0, 'P', u8, u8, bytes    the program's number, below 64, and its name, 1 to 63 characters
 *                              of printable ASCII after their count
 *     0, 'K', 32 bytes         the key; nothing follows
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
    uint32_t program; /* its number */
    const char *name; /* the program's, a view, unterminated; or NULL */
    size_t name_size;
    const uint8_t *key; /* a view of TCI_TLS_KEY_BYTES, or NULL */
} tci_job_address;

/* Returns the number of bytes; 0: the text is too long. The caller has checked the program. */
size_t tci_job_address_encode(const tci_job_address *address,
                              uint8_t out[TCI_RENDEZVOUS_ADDRESS_MAX]);

/* TC_E_CORRUPT: it has another form. The text names no byte of it. */
TC_MUST_CHECK tc_status tci_job_address_decode(const void *bytes, size_t size,
                                               tci_job_address *address_out, tc_error *err);

#endif
