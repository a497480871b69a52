/* The key that rank 0 has drawn for a job, with which the job's members prove themselves. It
 * outlives its group as long as connections that use it are open. */
#ifndef TCI_GROUP_JOB_H
#define TCI_GROUP_JOB_H

#include "bootstrap/credentials.h"

struct tci_groups;

typedef struct tci_group_job {
    tci_credentials credentials;
    bool left;                  /* its group uses it no more */
    struct tci_group_job *next; /* bound: TCI_GROUPS_MAX, RLIMIT_NOFILE */
} tci_group_job;

/* Statuses of tci_credentials_of_job. */
TC_MUST_CHECK tc_status tci_group_job_create(struct tci_groups *groups, const tci_tls_key *key,
                                             const struct tc_options *options,
                                             tci_group_job **job_out, tc_error *err);

/* Ends a group's use of the job, which is freed, and its key overwritten, when no connection
 * uses it. NULL is allowed. */
void tci_group_job_leave(struct tci_groups *groups, tci_group_job *job);

/* Frees the jobs that no group and no connection uses. */
void tci_group_job_sweep(struct tci_groups *groups);

#endif
