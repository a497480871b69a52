/* Credentials with which a context, or a group of a job, proves itself and judges peers: keys
 * or certificates of the options, or the job's key, checked by the TLS module; without them,
 * over loopback, the user that the kernel reports. Made once and not changed; outlives the
 * streams that use it. One thread at a time. */
#ifndef TCI_CREDENTIALS_H
#define TCI_CREDENTIALS_H

#include "base/logger.h"
#include "base/option_table.h"
#include "tls_ops.h"

typedef struct tci_credentials {
    const tci_tls_ops *ops; /* NULL: no keys, bytes travel unprotected */
    tci_tls *tls;
    bool is_job;          /* the key is a job's: no option of the peer's replaces it */
    unsigned sessions;    /* connections that use `tls` */
    bool any_user;        /* without keys: loopback is open to every local user */
    uint64_t patience_ns; /* the time that a connection has to prove itself */
    tci_log_ration log;   /* warnings that peers cause */
} tci_credentials;

/* Reads the files that the options name. TC_E_INVALID: options that contradict one another, or
 * a file that is not fit; TC_E_NOT_FOUND; TC_E_UNSUPPORTED: keys are configured, and there is
 * no TLS module; TC_E_VERSION, TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_credentials_load(const struct tc_options *options,
                                             tci_credentials *out, tc_error *err);

/* Makes credentials of a job's key, which only the job's processes know. TC_E_UNSUPPORTED:
 * there is no TLS module; TC_E_VERSION, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_credentials_of_job(const tci_tls_key *key,
                                               const struct tc_options *options,
                                               tci_credentials *out, tc_error *err);

/* TC_OK: a job's key could be used here. Otherwise the statuses of tci_credentials_of_job. */
TC_MUST_CHECK tc_status tci_credentials_can_be_job(const struct tc_options *options,
                                                   tc_error *err);

/* Frees the credentials; does nothing if they were never made (zero). */
void tci_credentials_fini(tci_credentials *credentials);

static inline bool tci_credentials_has_keys(const tci_credentials *credentials)
{
    return credentials != NULL && credentials->ops != NULL;
}

#endif
