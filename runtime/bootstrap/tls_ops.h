/* The interface of the TLS module, which alone uses OpenSSL: connections on which both sides
 * have proved their identity, and no other process can read or change bytes.
 *
 * TLS 1.3 with one cipher. No session is resumed, and no data is sent before the peer has
 * proved itself. Reads take all bytes that the socket has, ahead of the request. Both sides are
 * checked alike. No call blocks. One thread at a time for a tci_tls and its sessions. */
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

/* The keys, or else certificates, with which this side proves itself and judges peers. */
typedef struct tci_tls_material {
    const tci_tls_key *keys; /* the first is the one that this side connects with */
    size_t key_count;        /* 0: certificates */
    bool is_job;             /* the key is a job's, not from a file */
    tci_tls_pem ca;          /* peers' certificates are signed by one of these */
    tci_tls_pem certificate; /* this side's, then those between it and the CA */
    tci_tls_pem private_key;
} tci_tls_material;

typedef enum tci_tls_role { TCI_TLS_CLIENT, TCI_TLS_SERVER } tci_tls_role;

typedef struct tci_tls_ops {
    uint32_t abi; /* TCI_TLS_ABI; checked before anything else is used */

    /* Copies the parts of the material that it needs. warning_out: a certificate that ends
     * soon, or ""; a bad date is not an error, since the clock may be wrong. TC_E_INVALID (the
     * text names the file), TC_E_NO_MEMORY. */
    tc_status (*create)(const tci_tls_material *material, tci_tls **tls_out,
                        char warning_out[TCI_TLS_WARNING_MAX], tc_error *err);
    void (*destroy)(tci_tls *tls); /* when no session is left; NULL is allowed */
    /* Returns this side's identity: "cert:CN=node7", "key:NAME" or "job:NAME". */
    const char *(*identity)(const tci_tls *tls);

    /* Opens a session on a connected socket that does not block and stays the caller's. `host`
     * is the name or address that a client connects to, for certificates that are bound to
     * hosts. TC_E_NO_MEMORY. */
    tc_status (*open)(tci_tls *tls, int fd, tci_tls_role role, const char *host,
                      tci_tls_session **session_out, tc_error *err);
    /* Called until TC_OK. TC_E_AGAIN; TC_E_REFUSED: one side did not accept the other;
     * TC_E_VERSION: no TLS 1.3; TC_E_PEER_LOST, TC_E_IO. Texts do not name the peer. */
    tc_status (*handshake)(tci_tls_session *session, tc_error *err);
    /* After the handshake: the peer's identity, printable ASCII, and a warning or "". */
    const char *(*peer)(const tci_tls_session *session);
    const char *(*warning)(const tci_tls_session *session);

    /* As tci_channel_read and tci_channel_write. */
    tc_status (*read)(tci_tls_session *session, void *bytes, size_t size, size_t *read_out,
                      bool *ended_out, tc_error *err);
    tc_status (*write)(tci_tls_session *session, const void *bytes, size_t size,
                       size_t *written_out, tc_error *err);
    bool (*has_bytes)(const tci_tls_session *session);
    bool (*wants_write)(const tci_tls_session *session);

    /* Frees the session. With `goodbye` first notifies the peer of the end, if the socket
     * accepts that. */
    void (*close)(tci_tls_session *session, bool goodbye);
} tci_tls_ops;

#endif
