/* What a certificate says, for identities, texts and the checks that OpenSSL leaves to us. */
#ifndef TCI_TLS_CERTIFICATE_H
#define TCI_TLS_CERTIFICATE_H

#include "bootstrap/tls_ops.h"

#include <openssl/x509.h>

/* "CN=node7,O=example" as RFC 2253 writes it: printable ASCII, everything else escaped, so that
 * two subjects never look alike. False: it is empty, or has no room. */
bool tci_tls_certificate_name(const X509_NAME *name, char *out, size_t size);

/* "2026-11-22 12:00:00 UTC", of a certificate's time; NULL: of now. Returns out. */
const char *tci_tls_certificate_time(const ASN1_TIME *time, char out[40]);

/* A certificate that has ended, is not valid yet or ends within two weeks is named in
 * warning_out; "" otherwise. */
void tci_tls_certificate_warn(const X509 *certificate, char warning_out[TCI_TLS_WARNING_MAX]);

/* Whether it may stand for the host, a name or a numeric address. One that names no host may
 * stand for any: it says who its owner is, and not where. */
bool tci_tls_certificate_is_for(X509 *certificate, const char *host);

#endif
