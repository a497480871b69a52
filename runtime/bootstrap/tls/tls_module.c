/* The keys or certificates of a context, as OpenSSL keeps them. */
#include "base/error_text.h"
#include "tls_certificate.h"
#include "tls_session.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CERTIFICATES_MAX 32768 /* bytes of a peer's, with those between it and the CA */

/* The context of sessions that stand for keys: OpenSSL requires one, to distinguish them from
 * sessions of other uses. */
static const unsigned char session_context[] = {'t', 'c', '1'};

/* --- keys that are shared ---------------------------------------------------------------- */

/* Makes a session of a key, as if an earlier connection had left it: TLS 1.3 makes no
 * difference. Fresh secrets are agreed on all the same, so a process that learns the key later
 * cannot read earlier connections. */
static SSL_SESSION *make_session(SSL *ssl, const tci_tls_key *key)
{
    static const unsigned char cipher_id[] = {0x13, 0x02}; /* TCI_TLS_CIPHER */
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, cipher_id);
    SSL_SESSION *session = SSL_SESSION_new();
    if (session != NULL && cipher != NULL &&
        SSL_SESSION_set1_master_key(session, key->bytes, sizeof key->bytes) == 1 &&
        SSL_SESSION_set1_id_context(session, session_context, sizeof session_context) == 1 &&
        SSL_SESSION_set_cipher(session, cipher) == 1 &&
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1)
        return session;
    SSL_SESSION_free(session);
    return NULL;
}

static void name_identity(const tci_tls *tls, const tci_tls_key *key,
                          char out[TCI_TLS_IDENTITY_MAX])
{
    (void)snprintf(out, TCI_TLS_IDENTITY_MAX, "%s:%s", tls->is_job ? "job" : "key", key->name);
}

/* Called by OpenSSL at a client: offers the first key. */
static int use_key(SSL *ssl, const EVP_MD *md, const unsigned char **name_out, size_t *size_out,
                   SSL_SESSION **session_out)
{
    tci_tls_session *session = tci_tls_session_of(ssl);
    const tci_tls_key *key = &session->tls->keys[0];
    (void)md; /* there is one cipher */
    *session_out = make_session(ssl, key);
    if (*session_out == NULL)
        return 0;
    name_identity(session->tls, key, session->identity);
    *name_out = (const unsigned char *)key->name;
    *size_out = strlen(key->name);
    return 1;
}

static const tci_tls_key *find(const tci_tls *tls, const unsigned char *name, size_t size)
{
    for (size_t i = 0; i < tls->key_count; i++) {
        if (strlen(tls->keys[i].name) == size && memcmp(tls->keys[i].name, name, size) == 0)
            return &tls->keys[i];
    }
    return NULL;
}

/* Called by OpenSSL at a server: finds the key that the client names. */
static int find_key(SSL *ssl, const unsigned char *name, size_t size, SSL_SESSION **session_out)
{
    tci_tls_session *session = tci_tls_session_of(ssl);
    const tci_tls_key *key = find(session->tls, name, size);
    *session_out = NULL;
    session->identity[0] = '\0';
    if (key == NULL) {
        (void)snprintf(session->reason, sizeof session->reason,
                       "its key is named '%.*s', and this side has none of that name; expected "
                       "%s%s",
                       size > TCI_TLS_KEY_NAME_MAX ? (int)TCI_TLS_KEY_NAME_MAX : (int)size,
                       (const char *)name, session->tls->identity,
                       session->tls->is_job ? "" : " (key_file)");
        return 1; /* the handshake then fails, as there is no certificate */
    }
    *session_out = make_session(ssl, key);
    if (*session_out == NULL)
        return 0;
    name_identity(session->tls, key, session->identity);
    return 1;
}

static bool copy_keys(tci_tls *tls, const tci_tls_material *material)
{
    tls->keys = malloc(material->key_count * sizeof *tls->keys);
    if (tls->keys == NULL)
        return false;
    memcpy(tls->keys, material->keys, material->key_count * sizeof *tls->keys);
    tls->key_count = material->key_count;
    tls->is_job = material->is_job;
    name_identity(tls, &tls->keys[0], tls->identity);
    SSL_CTX_set_psk_use_session_callback(tls->ctx, use_key);
    SSL_CTX_set_psk_find_session_callback(tls->ctx, find_key);
    return true;
}

/* --- certificates ------------------------------------------------------------------------ */

static void describe_dates(X509 *certificate, const char *name, char *out, size_t size)
{
    char begins[40], ends[40], now[40];
    (void)snprintf(out, size,
                   "its certificate (%s) is valid from %s to %s, and the clock here says %s",
                   name, tci_tls_certificate_time(X509_get0_notBefore(certificate), begins),
                   tci_tls_certificate_time(X509_get0_notAfter(certificate), ends),
                   tci_tls_certificate_time(NULL, now));
}

/* Called by OpenSSL after it has judged the peer's chain, or one certificate of it. Keeps the
 * reason for a refusal. */
static int on_verified(int ok, X509_STORE_CTX *chain)
{
    const SSL *ssl = X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx());
    tci_tls_session *session = tci_tls_session_of(ssl);
    X509 *certificate = X509_STORE_CTX_get_current_cert(chain);
    char name[TCI_TLS_IDENTITY_MAX / 2] = "no certificate";
    int error = X509_STORE_CTX_get_error(chain);
    if (ok || session->reason[0] != '\0')
        return ok;
    if (certificate != NULL &&
        !tci_tls_certificate_name(X509_get_subject_name(certificate), name, sizeof name))
        (void)snprintf(name, sizeof name, "without a subject that can be shown");
    if (certificate != NULL &&
        (error == X509_V_ERR_CERT_HAS_EXPIRED || error == X509_V_ERR_CERT_NOT_YET_VALID))
        describe_dates(certificate, name, session->reason, sizeof session->reason);
    else if (session->tls->keys != NULL)
        (void)snprintf(
            session->reason, sizeof session->reason,
            "it shows a certificate (%s), and this side has a key (%s): both need the "
            "same",
            name, session->tls->is_job ? "of its job" : "key_file");
    else
        (void)snprintf(session->reason, sizeof session->reason,
                       "its certificate (%s): %s; expected one that %.100s has signed", name,
                       X509_verify_cert_error_string(error), session->tls->authorities);
    return 0;
}

static int no_password(char *out, int size, int writing, void *user)
{
    (void)out, (void)size, (void)writing, (void)user;
    return -1;
}

static X509 *read_certificate(BIO *from)
{
    X509 *certificate = PEM_read_bio_X509(from, NULL, no_password, NULL);
    ERR_clear_error();
    return certificate;
}

static BIO *open_pem(const tci_tls_pem *pem)
{
    return BIO_new_mem_buf(pem->bytes, (int)pem->size);
}

static tc_status add_authorities(tci_tls *tls, const tci_tls_pem *pem, tc_error *err)
{
    BIO *from = open_pem(pem);
    X509_STORE *store = SSL_CTX_get_cert_store(tls->ctx);
    X509 *certificate;
    unsigned count = 0;
    bool ok = from != NULL;
    while (ok && (certificate = read_certificate(from)) != NULL) {
        ok = X509_STORE_add_cert(store, certificate) == 1;
        if (count++ == 0 &&
            !tci_tls_certificate_name(X509_get_subject_name(certificate), tls->authorities,
                                      sizeof tls->authorities))
            (void)snprintf(tls->authorities, sizeof tls->authorities, "%.200s", pem->path);
        X509_free(certificate);
    }
    (void)BIO_free(from);
    if (!ok)
        return tci_error_set(err, TC_E_NO_MEMORY, "tls_ca: out of memory");
    if (count == 0)
        return tci_error_set(err, TC_E_INVALID, "tls_ca: %s has no certificate in PEM form",
                             pem->path);
    return TC_OK;
}

static tc_status add_certificate(tci_tls *tls, const tci_tls_pem *pem,
                                 char warning_out[TCI_TLS_WARNING_MAX], tc_error *err)
{
    BIO *from = open_pem(pem);
    X509 *own = from != NULL ? read_certificate(from) : NULL;
    X509 *next;
    bool named = false, ok = own != NULL && SSL_CTX_use_certificate(tls->ctx, own) == 1;
    while (ok && (next = read_certificate(from)) != NULL) {
        ok = SSL_CTX_add0_chain_cert(tls->ctx, next) == 1;
        if (!ok)
            X509_free(next);
    }
    if (ok) {
        tci_tls_certificate_warn(own, warning_out);
        memcpy(tls->identity, "cert:", sizeof "cert:");
        named = tci_tls_certificate_name(X509_get_subject_name(own),
                                         tls->identity + strlen("cert:"),
                                         sizeof tls->identity - strlen("cert:"));
    }
    X509_free(own);
    (void)BIO_free(from);
    if (!ok)
        return tci_error_set(err, TC_E_INVALID,
                             "tls_cert: %s has no certificate in PEM form that can be used",
                             pem->path);
    if (!named)
        return tci_error_set(err, TC_E_INVALID,
                             "tls_cert: the certificate in %s has no subject, or one that is "
                             "too long: it is this side's identity",
                             pem->path);
    return TC_OK;
}

static tc_status add_private_key(tci_tls *tls, const tci_tls_pem *pem, tc_error *err)
{
    BIO *from = open_pem(pem);
    EVP_PKEY *key =
        from != NULL ? PEM_read_bio_PrivateKey(from, NULL, no_password, NULL) : NULL;
    bool read = key != NULL;
    bool fits = read && SSL_CTX_use_PrivateKey(tls->ctx, key) == 1 &&
                SSL_CTX_check_private_key(tls->ctx) == 1;
    EVP_PKEY_free(key);
    (void)BIO_free(from);
    ERR_clear_error();
    if (!read)
        return tci_error_set(err, TC_E_INVALID,
                             "tls_key: %s has no private key in PEM form without a password",
                             pem->path);
    if (!fits)
        return tci_error_set(err, TC_E_INVALID,
                             "tls_key: the key in %s is not that of the certificate (tls_cert)",
                             pem->path);
    return TC_OK;
}

/* --- both -------------------------------------------------------------------------------- */

static bool set_up(SSL_CTX *ctx)
{
    (void)SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION |
                                       SSL_OP_NO_RENEGOTIATION |
                                       SSL_OP_CIPHER_SERVER_PREFERENCE);
    (void)SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_keylog_callback(ctx, tci_tls_session_keep_secret);
    (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_cert_list(ctx, CERTIFICATES_MAX);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, on_verified);
    return SSL_CTX_set_session_id_context(ctx, session_context, sizeof session_context) == 1 &&
           SSL_CTX_set_num_tickets(ctx, 0) == 1 &&
           SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_ciphersuites(ctx, TCI_TLS_CIPHER) == 1 &&
           SSL_CTX_set1_groups_list(ctx, "X25519:P-256") == 1;
}

static void destroy(tci_tls *tls)
{
    if (tls == NULL)
        return;
    SSL_CTX_free(tls->ctx);
    if (tls->keys != NULL)
        explicit_bzero(tls->keys, tls->key_count * sizeof *tls->keys);
    free(tls->keys);
    free(tls->spare_in);
    free(tls->spare_out);
    free(tls);
}

static tc_status fill(tci_tls *tls, const tci_tls_material *material,
                      char warning_out[TCI_TLS_WARNING_MAX], tc_error *err)
{
    warning_out[0] = '\0';
    if (material->key_count > 0)
        return copy_keys(tls, material)
                   ? TC_OK
                   : tci_error_set(err, TC_E_NO_MEMORY, "key_file: out of memory");
    TC_TRY(add_authorities(tls, &material->ca, err));
    TC_TRY(add_certificate(tls, &material->certificate, warning_out, err));
    return add_private_key(tls, &material->private_key, err);
}

static tc_status create(const tci_tls_material *material, tci_tls **tls_out,
                        char warning_out[TCI_TLS_WARNING_MAX], tc_error *err)
{
    /* Functions that the program registered with atexit may destroy contexts. */
    (void)OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL);
    tci_tls *tls = calloc(1, sizeof *tls);
    if (tls != NULL)
        tls->ctx = SSL_CTX_new(TLS_method());
    if (tls == NULL || tls->ctx == NULL || !set_up(tls->ctx)) {
        destroy(tls);
        return tci_error_set(err, TC_E_UNSUPPORTED, "%s cannot do TLS 1.3 with " TCI_TLS_CIPHER,
                             OpenSSL_version(OPENSSL_VERSION));
    }
    tc_status status = fill(tls, material, warning_out, err);
    ERR_clear_error();
    if (status != TC_OK) {
        destroy(tls);
        return status;
    }
    *tls_out = tls;
    return TC_OK;
}

static const char *identity(const tci_tls *tls)
{
    return tls->identity;
}

TC_API extern const tci_tls_ops tci_tls_module;
const tci_tls_ops tci_tls_module = {.abi = TCI_TLS_ABI,
                                    .create = create,
                                    .destroy = destroy,
                                    .identity = identity,
                                    .open = tci_tls_session_open,
                                    .handshake = tci_tls_session_handshake,
                                    .peer = tci_tls_session_peer,
                                    .warning = tci_tls_session_warning,
                                    .read = tci_tls_session_read,
                                    .write = tci_tls_session_write,
                                    .has_bytes = tci_tls_session_has_bytes,
                                    .wants_write = tci_tls_session_wants_write,
                                    .close = tci_tls_session_close};
