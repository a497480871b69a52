/* The seam to the module that speaks TLS, which alone knows OpenSSL: connections on which both
 * sides have proved who they are, and whose bytes nobody else reads or changes.
 *
 * TLS 1.3 with one cipher, no session is resumed, nothing is sent before the peer has proved
 * itself. Reads take what the socket has, ahead of what is asked for. Both sides are checked alike. No call blocks. One thread at a time for a tci_tls and
 * its sessions. */
#ifndef TCI_TLS_OPS_H
#define TCI_TLS_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

#define TCI_TLS_ABI 2u
#define TCI_TLS_SYMBOL "tci_tls_module"
#define TCI_TLS_KEY_BYTES 32u
#define TCI_TLS_KEY_NAME_MAX 64u
#define TCI_TLS_IDENTITY_MAX 256u /* with the terminator */
#define TCI_TLS_WARNING_MAX 512u

typedef struct tci_tls tci_tls;
typedef struct tci_tls_session tci_tls_session;

/* A secret that several processes share. */
typedef struct tci_tls_key {
    char name[TCI_TLS_KEY_NAME_MAX + 1];
    uint8_t bytes[TCI_TLS_KEY_BYTES];
} tci_tls_key;

/* A file's bytes in PEM form; its path is for texts. */
typedef struct tci_tls_pem {
    const void *bytes;
    size_t size;
    const char *path;
} tci_tls_pem;

/* What this side proves itself with, and judges peers by: keys, or else certificates. */
typedef struct tci_tls_material {
    const tci_tls_key *keys; /* the first is the one that this side connects with */
    size_t key_count;        /* 0: certificates */
    bool is_job;             /* the key is a job's, and no file's */
    tci_tls_pem ca;          /* peers' certificates are signed by one of these */
    tci_tls_pem certificate; /* this side's, then those between it and the CA */
    tci_tls_pem private_key;
} tci_tls_material;

typedef enum tci_tls_role { TCI_TLS_CLIENT, TCI_TLS_SERVER } tci_tls_role;

typedef struct tci_tls_ops {
    uint32_t abi; /* TCI_TLS_ABI; checked before anything else is used */

    /* Copies what it needs. warning_out: a certificate that ends soon, or ""; a bad date is no
     * failure, since the clock may be what is wrong. TC_E_INVALID (the text names the file),
     * TC_E_NO_MEMORY. */
    tc_status (*create)(const tci_tls_material *material, tci_tls **tls_out,
                        char warning_out[TCI_TLS_WARNING_MAX], tc_error *err);
    void (*destroy)(tci_tls *tls); /* when no session is left; NULL is allowed */
    /* "cert:CN=node7", "key:NAME" or "job:NAME": this side's own. */
    const char *(*identity)(const tci_tls *tls);

    /* On a connected socket that does not block and stays the caller's. host: what a client
     * was told to connect to, a name or an address, for certificates that are bound to hosts.
     * TC_E_NO_MEMORY. */
    tc_status (*open)(tci_tls *tls, int fd, tci_tls_role role, const char *host,
                      tci_tls_session **session_out, tc_error *err);
    /* Until TC_OK. TC_E_AGAIN; TC_E_REFUSED: one side did not take the other; TC_E_VERSION: no
     * TLS 1.3; TC_E_PEER_LOST, TC_E_IO. Texts do not name the peer. */
    tc_status (*handshake)(tci_tls_session *session, tc_error *err);
    /* After the handshake: who the peer is, printable ASCII, and a warning or "". */
    const char *(*peer)(const tci_tls_session *session);
    const char *(*warning)(const tci_tls_session *session);

    /* As tci_channel_read and tci_channel_write. */
    tc_status (*read)(tci_tls_session *session, void *bytes, size_t size, size_t *read_out,
                      bool *ended_out, tc_error *err);
    tc_status (*write)(tci_tls_session *session, const void *bytes, size_t size,
                       size_t *written_out, tc_error *err);
    bool (*has_bytes)(const tci_tls_session *session);
    bool (*wants_write)(const tci_tls_session *session);

    /* Tells the peer that nothing will follow, if `goodbye` and the socket takes it. Frees. */
    void (*close)(tci_tls_session *session, bool goodbye);
} tci_tls_ops;

#endif
