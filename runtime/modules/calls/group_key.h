/* The key that a job makes for itself where others could reach its processes. Rank 0 draws it
 * and publishes it with its address; the launcher of the job passes that to the job's processes
 * only. Where only their user can reach them, the kernel vouches for them, without a key. Where
 * the options have keys, or admit every peer, the options decide. */
#ifndef TCI_GROUP_KEY_H
#define TCI_GROUP_KEY_H

#include "bootstrap/rendezvous.h"
#include "context/context_object.h"
#include "modules/calls/group_job.h"

typedef enum tci_group_key_need {
    TCI_GROUP_KEY_NONE,
    TCI_GROUP_KEY_WISHED, /* omitted where there is no TLS */
    TCI_GROUP_KEY_NEEDED
} tci_group_key_need;

typedef struct tci_group_key {
    tci_group_key_need need; /* of this process */
    bool is_set;             /* rank 0 has published one; then it is used */
    tci_tls_key key;
} tci_group_key;

/* Called before this process publishes anything: so a process that cannot use a key is missed,
 * and named, by the others. Rank 0 draws the key. TC_E_INVALID: the options exclude a key that
 * is needed; TC_E_UNSUPPORTED, TC_E_VERSION: it is needed, and there is no TLS module. */
TC_MUST_CHECK tc_status tci_group_key_prepare(const struct tc_options *options, bool has_keys,
                                              const tci_rendezvous_self *self, bool on_loopback,
                                              tci_group_key *key_out, tc_error *err);

/* Takes the bytes that rank 0 has published; NULL: it has published no key. */
void tci_group_key_take(tci_group_key *key, const tci_rendezvous_self *self,
                        const uint8_t bytes[TCI_TLS_KEY_BYTES]);

/* Overwrites the key. */
void tci_group_key_forget(tci_group_key *key);

/* Makes the job with the credentials of its members; *job_out is NULL where the context's
 * credentials are used. TC_E_INVALID: a key is needed here, and rank 0 has published no key;
 * statuses of tci_group_job_create. */
TC_MUST_CHECK tc_status tci_group_key_make_job(const tci_group_key *key, tc_context *ctx,
                                               uint32_t rank, tci_group_job **job_out,
                                               tc_error *err);

#endif
