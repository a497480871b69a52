/* What a context, or a group of a job, proves itself with, and whom it takes for a peer: keys or
 * certificates of the options, or the job's key, spoken for by the TLS module; without them, over loopback, the kernel's word for the
 * user. Made once and not changed; outlives the streams that use it. One thread at a time. */
#ifndef TCI_CREDENTIALS_H
#define TCI_CREDENTIALS_H

#include "base/logger.h"
#include "base/option_table.h"
#include "tls_ops.h"

typedef struct tci_credentials {
    const tci_tls_ops *ops; /* NULL: no keys, bytes go as they are */
    tci_tls *tls;
    bool is_job;          /* the key is a job's: no option of the peer's helps it */
    unsigned sessions;    /* connections that use `tls` */
    bool any_user;        /* without keys: loopback is open to every local user */
    uint64_t patience_ns; /* how long a stranger may take to prove itself */
    tci_log_ration log;   /* warnings that peers cause */
} tci_credentials;

/* Reads the files that the options name. TC_E_INVALID: options that contradict one another, or
 * a file that is not fit; TC_E_NOT_FOUND; TC_E_UNSUPPORTED: keys are asked for, and there is no
 * TLS module; TC_E_VERSION, TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_credentials_load(const struct tc_options *options,
                                             tci_credentials *out, tc_error *err);

/* The key of a job, which its processes know and nobody else. TC_E_UNSUPPORTED: there is no TLS
 * module; TC_E_VERSION, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_credentials_of_job(const tci_tls_key *key,
                                               const struct tc_options *options,
                                               tci_credentials *out, tc_error *err);

/* Whether such a key could be used here: the statuses are those. */
TC_MUST_CHECK tc_status tci_credentials_can_be_job(const struct tc_options *options,
                                                   tc_error *err);

/* One that was zero is left as it is. */
void tci_credentials_fini(tci_credentials *credentials);

static inline bool tci_credentials_has_keys(const tci_credentials *credentials)
{
    return credentials != NULL && credentials->ops != NULL;
}

#endif
