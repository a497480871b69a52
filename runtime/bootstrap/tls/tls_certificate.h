/* Reads certificates, for identities, texts and the checks that OpenSSL leaves to us. */
#ifndef TCI_TLS_CERTIFICATE_H
#define TCI_TLS_CERTIFICATE_H

#include "bootstrap/tls_ops.h"

#include <openssl/x509.h>

/* Writes "CN=node7,O=example" as RFC 2253 does: printable ASCII, everything else escaped, so
 * that two subjects never look alike. False: it is empty, or does not fit. */
bool tci_tls_certificate_name(const X509_NAME *name, char *out, size_t size);

/* Writes a certificate's time as "2026-11-22 12:00:00 UTC"; NULL: the current time. Returns
 * out. */
const char *tci_tls_certificate_time(const ASN1_TIME *time, char out[40]);

/* Names a certificate in warning_out that has ended, is not valid yet or ends within two weeks;
 * "" otherwise. */
void tci_tls_certificate_warn(const X509 *certificate, char warning_out[TCI_TLS_WARNING_MAX]);

/* Returns whether the certificate may stand for the host, a name or a numeric address. One that
 * names no host may stand for any: it identifies its owner, not a location. */
bool tci_tls_certificate_is_for(X509 *certificate, const char *host);

#endif
