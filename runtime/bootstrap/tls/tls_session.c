/* Opens, proves and closes sessions: libssl makes the handshake, and tls_session_bytes.c seals
 * and opens the records after it. */
#include "tls_session.h"

#include "base/error_text.h"
#include "tls_bio.h"
#include "tls_certificate.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WELCOME 0x01 /* a server's first byte, after it has accepted the client */

tci_tls_session *tci_tls_session_of(const SSL *ssl)
{
    return SSL_get_app_data(ssl);
}

tc_status tci_tls_session_open(tci_tls *tls, int fd, tci_tls_role role, const char *host,
                               tci_tls_session **session_out, tc_error *err)
{
    tci_tls_session *session = calloc(1, sizeof *session);
    BIO *bio = NULL;
    if (session != NULL && (session->ssl = SSL_new(tls->ctx)) != NULL)
        bio = tci_tls_bio_new(session);
    if (bio == NULL) {
        tci_tls_session_close(session, false);
        return tci_error_set(err, TC_E_NO_MEMORY, "TLS: out of memory");
    }
    session->tls = tls;
    session->fd = fd;
    session->role = role;
    (void)snprintf(session->host, sizeof session->host, "%s", host != NULL ? host : "");
    SSL_set_bio(session->ssl, bio, bio);
    (void)SSL_set_app_data(session->ssl, session);
    if (role == TCI_TLS_SERVER)
        SSL_set_accept_state(session->ssl);
    else
        SSL_set_connect_state(session->ssl);
    *session_out = session;
    return TC_OK;
}

void tci_tls_session_close(tci_tls_session *session, bool goodbye)
{
    if (session == NULL)
        return;
    if (goodbye && session->established && !session->failed)
        tci_tls_session_say_end(session);
    SSL_free(session->ssl);
    ERR_clear_error();
    tci_tls_record_end(&session->sends);
    tci_tls_record_end(&session->receives);
    free(session->in);
    free(session->out);
    free(session);
}

/* --- errors ------------------------------------------------------------------------------ */

/* Returns advice for two sides with different keys. */
static const char *key_advice(const tci_tls *tls)
{
    return tls->is_job ? "only processes of one job share its key"
                       : "both need the same key_file";
}

/* Translates the peer's reason for refusing: TLS has numbers for it, and they are few. */
tc_status tci_tls_session_peer_refused(const tci_tls_session *session, int alert, tc_error *err)
{
    const tci_tls *tls = session->tls;
    const char *own = tls->identity;
    switch (alert) {
    case SSL3_AD_HANDSHAKE_FAILURE:
        if (tls->keys == NULL)
            return tci_error_set(err, TC_E_REFUSED,
                                 "it has no certificate that this side can use, or a key "
                                 "instead (key_file); this side is %s",
                                 own);
        return tci_error_set(err, TC_E_REFUSED,
                             "it has no key of the name of this side's, %s: %s", own,
                             key_advice(tls));
    case SSL3_AD_ILLEGAL_PARAMETER:
    case TLS1_AD_DECRYPT_ERROR:
        if (tls->keys == NULL)
            break;
        return tci_error_set(err, TC_E_REFUSED,
                             "its key of the name of this side's, %s, is another: %s", own,
                             key_advice(tls));
    case TLS1_AD_PROTOCOL_VERSION:
        return tci_error_set(err, TC_E_VERSION, "it speaks another TLS, expected 1.3");
    default:
        break;
    }
    return tci_error_set(err, TC_E_REFUSED, "it did not take this side, %s: %s", own,
                         SSL_alert_desc_string_long(alert));
}

/* Translates OpenSSL's reason for rejecting the peer's handshake: the peer has no matching keys
 * or certificates, or speaks another protocol. */
static tc_status handshake_broken(const tci_tls_session *session, int reason, tc_error *err)
{
    const tci_tls *tls = session->tls;
    switch (reason) {
    case SSL_R_WRONG_VERSION_NUMBER: /* in a record's head: the bytes are no TLS record */
    case SSL_R_HTTP_REQUEST:
        return tci_error_set(err, TC_E_REFUSED, "it answers in clear text, and %s%s",
                             tls->is_job ? "is expected to be of " : "keys are set here",
                             tls->is_job ? tls->identity
                                         : ": set key_file, or tls_ca, tls_cert and tls_key, "
                                           "there as here");
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_BAD_PROTOCOL_VERSION_NUMBER:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
        return tci_error_set(err, TC_E_VERSION,
                             "it speaks an older TLS than 1.3, or another protocol");
    case SSL_R_BINDER_DOES_NOT_VERIFY:
        return tci_error_set(err, TC_E_REFUSED,
                             "its key of the name of this side's, %s, is another: %s",
                             tls->identity, key_advice(tls));
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
        return tci_error_set(err, TC_E_REFUSED,
                             "it has no certificate; expected one that %s has signed (tls_cert "
                             "and tls_key there)",
                             tls->authorities);
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_CERTIFICATE_SET:
        if (tls->keys != NULL)
            return tci_error_set(err, TC_E_REFUSED,
                                 "it offers no key that this side has; expected %s%s",
                                 tls->identity, tls->is_job ? "" : " (key_file)");
        break;
    default:
        break;
    }
    const char *text = ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
    return tci_error_set(err, TC_E_REFUSED, "its TLS handshake is not one: %s",
                         text != NULL ? text : "no reason known");
}

static tc_status tls_failed(const tci_tls_session *session, tc_error *err)
{
    unsigned long code = ERR_peek_error();
    int reason = ERR_GET_REASON(code);
    if (session->reason[0] != '\0')
        return tci_error_set(err, TC_E_REFUSED, "%s", session->reason);
    if (reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)
        return tci_error_set(err, TC_E_PEER_LOST,
                             "it closed the connection within the TLS handshake");
    if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason > SSL_AD_REASON_OFFSET)
        return tci_tls_session_peer_refused(session, reason - SSL_AD_REASON_OFFSET, err);
    return handshake_broken(session, reason, err);
}

tc_status tci_tls_session_socket_failed(const tci_tls_session *session, int errnum,
                                        tc_error *err)
{
    (void)session;
    if (errnum == 0)
        return tci_error_set(err, TC_E_PEER_LOST,
                             "it closed the connection without ending it in order");
    bool lost = errnum == ECONNRESET || errnum == EPIPE || errnum == ETIMEDOUT ||
                errnum == EHOSTUNREACH || errnum == ENETUNREACH || errnum == ENETDOWN;
    return tci_error_errno(err, lost ? TC_E_PEER_LOST : TC_E_IO, errnum,
                           "the connection failed");
}

/* Translates the result of a call that did not succeed. Leaves OpenSSL's list of errors empty,
 * as the program may use it as well. */
static tc_status judge(tci_tls_session *session, int result, tc_error *err)
{
    tc_status status;
    switch (SSL_get_error(session->ssl, result)) {
    case SSL_ERROR_WANT_WRITE:
        session->wants_write = true;
        return TC_E_AGAIN;
    case SSL_ERROR_WANT_READ:
        return TC_E_AGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return tci_error_set(err, TC_E_PEER_LOST, "it closed the connection");
    case SSL_ERROR_SSL:
        status = tls_failed(session, err);
        break;
    default:
        status = tci_tls_session_socket_failed(session, session->errnum, err);
        break;
    }
    session->failed = true;
    ERR_clear_error();
    return status;
}

/* --- the handshake ----------------------------------------------------------------------- */

/* Takes a certificate's subject as the identity, and checks that it may stand for the host. */
static tc_status take_certificate(tci_tls_session *session, tc_error *err)
{
    X509 *certificate = SSL_get0_peer_certificate(session->ssl);
    if (certificate == NULL || SSL_get_verify_result(session->ssl) != X509_V_OK)
        return tci_error_set(err, TC_E_REFUSED, "it has no certificate that was verified");
    memcpy(session->identity, "cert:", sizeof "cert:");
    if (!tci_tls_certificate_name(X509_get_subject_name(certificate),
                                  session->identity + strlen("cert:"),
                                  sizeof session->identity - strlen("cert:")))
        return tci_error_set(err, TC_E_REFUSED,
                             "its certificate has no subject, or one that is longer than %zu "
                             "characters",
                             sizeof session->identity - sizeof "cert:");
    if (session->role == TCI_TLS_CLIENT && session->host[0] != '\0' &&
        !tci_tls_certificate_is_for(certificate, session->host))
        return tci_error_set(err, TC_E_REFUSED,
                             "its certificate, %s, is bound to other hosts than '%s', to which "
                             "this side connects (its subjectAltName has to name that)",
                             session->identity, session->host);
    tci_tls_certificate_warn(certificate, session->warning);
    return TC_OK;
}

static tc_status take_peer(tci_tls_session *session, tc_error *err)
{
    if (SSL_version(session->ssl) != TLS1_3_VERSION)
        return tci_error_set(err, TC_E_VERSION, "it speaks %s, expected TLS 1.3",
                             SSL_get_version(session->ssl));
    if (session->tls->keys == NULL)
        return take_certificate(session, err);
    /* A resumed session stands for a key: there are no other sessions. */
    if (SSL_session_reused(session->ssl) != 1 || session->identity[0] == '\0')
        return tci_error_set(err, TC_E_REFUSED, "it did not prove that it has %s",
                             session->tls->identity);
    return TC_OK;
}

/* A client completes its part of TLS 1.3 before the server has checked it. So the server
 * confirms with a byte when it has. Until then no data of the client leaves, so none is left
 * unread at a server that turns it away, which would make the kernel discard the server's
 * reason. */
static tc_status welcome(tci_tls_session *session, tc_error *err)
{
    uint8_t byte = WELCOME;
    size_t n;
    bool ended;
    if (session->role == TCI_TLS_SERVER)
        return tci_tls_session_write(session, &byte, 1, &n, err);
    TC_TRY(tci_tls_session_read(session, &byte, 1, &n, &ended, err));
    if (byte != WELCOME)
        return tci_error_set(err, TC_E_VERSION, "it begins with byte %u, expected %u", byte,
                             WELCOME);
    return TC_OK;
}

/* Reads "CLIENT_TRAFFIC_SECRET_0 RANDOM SECRET", the last two in hexadecimal. */
static bool read_secret(const char *line, const char *label, tci_tls_direction *direction)
{
    size_t n = strlen(label);
    const char *digits = strrchr(line, ' ');
    if (strncmp(line, label, n) != 0 || line[n] != ' ' || digits == NULL)
        return false;
    return OPENSSL_hexstr2buf_ex(direction->secret, sizeof direction->secret, &n, digits + 1,
                                 '\0') == 1 &&
           n == sizeof direction->secret;
}

void tci_tls_session_keep_secret(const SSL *ssl, const char *line)
{
    tci_tls_session *session = tci_tls_session_of(ssl);
    bool is_client = session->role == TCI_TLS_CLIENT;
    tci_tls_direction *client = is_client ? &session->sends : &session->receives;
    tci_tls_direction *server = is_client ? &session->receives : &session->sends;
    session->secrets += read_secret(line, "CLIENT_TRAFFIC_SECRET_0", client) ||
                        read_secret(line, "SERVER_TRAFFIC_SECRET_0", server);
}

/* Begins both directions of records. Neither side has sent a record under these keys yet: no
 * ticket follows the handshake. */
static tc_status begin_records(tci_tls_session *session, tc_error *err)
{
    bool ok = session->secrets == 2 && tci_tls_record_begin(&session->sends, true) &&
              tci_tls_record_begin(&session->receives, false);
    SSL_free(session->ssl);
    session->ssl = NULL;
    ERR_clear_error();
    return ok ? TC_OK
              : tci_error_set(err, TC_E_UNSUPPORTED, "%s gives no keys for " TCI_TLS_CIPHER,
                              OpenSSL_version(OPENSSL_VERSION));
}

static tc_status prove(tci_tls_session *session, tc_error *err)
{
    ERR_clear_error();
    session->errnum = 0;
    session->wants_write = false;
    int result = SSL_do_handshake(session->ssl);
    if (result != 1)
        return judge(session, result, err);
    TC_TRY(take_peer(session, err));
    return begin_records(session, err);
}

tc_status tci_tls_session_handshake(tci_tls_session *session, tc_error *err)
{
    tc_status status = TC_OK;
    if (session->established)
        return TC_OK;
    if (!session->proved)
        status = prove(session, err);
    if (status == TC_OK) {
        session->proved = true;
        status = welcome(session, err);
    }
    session->established = status == TC_OK;
    session->failed = status != TC_OK && status != TC_E_AGAIN;
    return status;
}

const char *tci_tls_session_peer(const tci_tls_session *session)
{
    return session->identity;
}

const char *tci_tls_session_warning(const tci_tls_session *session)
{
    return session->warning;
}
