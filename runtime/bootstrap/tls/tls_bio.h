/* A session's socket as a BIO of OpenSSL. OpenSSL's own socket BIO would raise SIGPIPE. */
#ifndef TCI_TLS_BIO_H
#define TCI_TLS_BIO_H

#include "tls_session.h"

/* NULL: out of memory. The session keeps the errors and the end of its socket. */
BIO *tci_tls_bio_new(tci_tls_session *session);

#endif
