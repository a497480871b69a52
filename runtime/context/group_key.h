/* The key that the processes of a job have by themselves, where others could reach them: rank 0
 * draws it and publishes it with its address, which whoever started the job tells to its processes
 * alone. Where all of them are reached by their user alone the kernel vouches for them, without a
 * key; where the options have keys, or let everybody in, those decide. */
#ifndef TCI_GROUP_KEY_H
#define TCI_GROUP_KEY_H

#include "bootstrap/rendezvous.h"
#include "context/context_object.h"

typedef enum tci_group_key_need {
    TCI_GROUP_KEY_NONE,
    TCI_GROUP_KEY_WISHED, /* done without where there is no TLS */
    TCI_GROUP_KEY_NEEDED
} tci_group_key_need;

typedef struct tci_group_key {
    tci_group_key_need need; /* of this process */
    bool is_set;             /* rank 0 has given one; then it counts */
    tci_tls_key key;
} tci_group_key;

/* Before this process publishes anything: so one that cannot use a key is missed, and named, by
 * the others. Rank 0 draws the key. TC_E_INVALID: the options are against one that is needed;
 * TC_E_UNSUPPORTED, TC_E_VERSION: it is needed, and there is no TLS module. */
TC_MUST_CHECK tc_status tci_group_key_prepare(const struct tc_options *options, bool has_keys,
                                              const tci_rendezvous_self *self, bool on_loopback,
                                              tci_group_key *key_out, tc_error *err);

/* Rank 0 has published these; NULL: none. */
void tci_group_key_take(tci_group_key *key, const tci_rendezvous_self *self,
                        const uint8_t bytes[TCI_TLS_KEY_BYTES]);

/* Overwrites it. */
void tci_group_key_forget(tci_group_key *key);

/* What members prove themselves with: *job_out, or NULL where the context's credentials do.
 * TC_E_INVALID: it is needed here, and rank 0 gave none; statuses of tci_group_job_create. */
TC_MUST_CHECK tc_status tci_group_key_make_job(const tci_group_key *key, tc_context *ctx,
                                               uint32_t rank, tci_group_job **job_out,
                                               tc_error *err);

#endif
