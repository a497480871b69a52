/* One connection, and the tci_tls that made it; shared by the files of the module. */
#ifndef TCI_TLS_SESSION_H
#define TCI_TLS_SESSION_H

#include "bootstrap/tls_ops.h"
#include "tls_record.h"

#include <openssl/ssl.h>

/* The only cipher: both sides are this library, so there is nothing to negotiate. */
#define TCI_TLS_CIPHER "TLS_AES_256_GCM_SHA384"
#define TCI_TLS_REASON_MAX 384u

struct tci_tls {
    SSL_CTX *ctx;
    tci_tls_key *keys; /* NULL: certificates */
    size_t key_count;
    bool is_job; /* the keys are a job's */
    char identity[TCI_TLS_IDENTITY_MAX];
    char authorities[TCI_TLS_IDENTITY_MAX]; /* the CA's subject, for texts */
    uint8_t *spare_in, *spare_out;          /* buffers that no session uses; may be NULL */
};

struct tci_tls_session {
    tci_tls *tls;
    SSL *ssl; /* until its handshake is done */
    int fd;
    int errnum; /* of the socket's last failure; 0: no failure */
    bool ended; /* the socket has ended */
    tci_tls_role role;
    bool proved;      /* TLS's own handshake is done, and the peer was accepted */
    bool established; /* the client knows that, too */
    bool failed;
    bool wants_write;
    /* After the handshake: records. */
    tci_tls_direction sends, receives;
    unsigned secrets;    /* how many of the two OpenSSL has reported */
    bool renewal_wanted; /* the peer has asked for another key */
    unsigned renewals;   /* of the peer's key since it last sent data */
    /* Sealed records that the socket did not accept yet, and the bytes that they stand for. */
    uint8_t *out; /* NULL: none waits */
    size_t out_begin, out_end, sealed;
    bool writes_much; /* the last write had more bytes than left */
    uint8_t *in;      /* bytes taken off the socket; NULL: none is left */
    size_t in_begin, in_end;
    const uint8_t *plain; /* within `in`: content of the last record that was not read yet */
    size_t plain_bytes;
    char host[256];
    char reason[TCI_TLS_REASON_MAX]; /* why the peer was refused; "": OpenSSL has the reason */
    tc_status kept;  /* of a read that came behind bytes, its text in `reason`; or TC_OK */
    bool kept_ended; /* with it */
    char identity[TCI_TLS_IDENTITY_MAX];
    char warning[TCI_TLS_WARNING_MAX];
};

tc_status tci_tls_session_open(tci_tls *tls, int fd, tci_tls_role role, const char *host,
                               tci_tls_session **session_out, tc_error *err);
tc_status tci_tls_session_handshake(tci_tls_session *session, tc_error *err);
const char *tci_tls_session_peer(const tci_tls_session *session);
const char *tci_tls_session_warning(const tci_tls_session *session);
tc_status tci_tls_session_read(tci_tls_session *session, void *bytes, size_t size,
                               size_t *read_out, bool *ended_out, tc_error *err);
tc_status tci_tls_session_write(tci_tls_session *session, const void *bytes, size_t size,
                                size_t *written_out, tc_error *err);
bool tci_tls_session_has_bytes(const tci_tls_session *session);
bool tci_tls_session_wants_write(const tci_tls_session *session);
void tci_tls_session_close(tci_tls_session *session, bool goodbye);

/* Notifies the peer of the connection's end, if the socket accepts that. */
void tci_tls_session_say_end(tci_tls_session *session);
/* Translate an alert of the peer, and an error of the socket, to a status and text. */
tc_status tci_tls_session_peer_refused(const tci_tls_session *session, int alert,
                                       tc_error *err);
tc_status tci_tls_session_socket_failed(const tci_tls_session *session, int errnum,
                                        tc_error *err);
/* Called by OpenSSL for each secret that a handshake agrees on. Keeps those that records are
 * sealed with. */
void tci_tls_session_keep_secret(const SSL *ssl, const char *line);

/* Returns the session that OpenSSL is calling back for. */
tci_tls_session *tci_tls_session_of(const SSL *ssl);

#endif
