#include "modules/calls/group_job.h"

#include "base/error_text.h"
#include "modules/calls/groups.h"

#include <stdlib.h>

tc_status tci_group_job_create(tci_groups *groups, const tci_tls_key *key,
                               const struct tc_options *options, tci_group_job **job_out,
                               tc_error *err)
{
    tci_group_job_sweep(groups);
    tci_group_job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "group: out of memory");
    tc_status status = tci_credentials_of_job(key, options, &job->credentials, err);
    if (status != TC_OK) {
        free(job);
        return status;
    }
    job->next = groups->jobs;
    groups->jobs = job;
    *job_out = job;
    return TC_OK;
}

void tci_group_job_leave(tci_groups *groups, tci_group_job *job)
{
    if (job != NULL)
        job->left = true;
    tci_group_job_sweep(groups);
}

void tci_group_job_sweep(tci_groups *groups)
{
    tci_group_job **link = &groups->jobs;
    while (*link != NULL) {
        tci_group_job *job = *link;
        if (!job->left || job->credentials.sessions > 0) {
            link = &job->next;
            continue;
        }
        *link = job->next;
        tci_credentials_fini(&job->credentials);
        free(job);
    }
}
