/* A node is ahead of the others in barriers. Each of its barriers ends after a second, and its
 * next one counts as another that the node has reached, so the other members never wait for it.
 * Rank 0 counts the arrivals and cannot be ahead: a node is never rank 0. */
#include "node_job.h"

#include "node_end.h"
#include "node_say.h"
#include "node_starter.h"

#include <stdio.h>
#include <tc/advanced.h>

#define JOIN_NS TC_SECONDS(60)
#define TURN_NS TC_SECONDS(1)

static int wants_end(void *none)
{
    (void)none;
    return node_end_is_wanted();
}

bool node_job_join(tc_context *ctx, node_job *job_out)
{
    node_job job = {.apart = false};
    tc_error error;
    tc_context_set_interrupt(ctx, wants_end, NULL);
    tc_status status = tc_group_join(ctx, JOIN_NS, &job.group, &error);
    tc_context_set_interrupt(ctx, NULL, NULL);
    if (status != TC_OK) {
        node_say(NODE_ERROR, "--join: %s", error.text);
        return false;
    }
    const uint32_t rank = tc_group_rank(job.group);
    if (rank == 0) {
        node_say(NODE_ERROR,
                 "--join: it is rank 0 of %u, which counts the members in barriers: "
                 "expected a program before it, as in tc-run -n 1 ./a : -n 3 tc-node --join",
                 tc_group_size(job.group));
        return false;
    }
    if (!node_starter_tell(rank))
        return false;
    node_say(NODE_INFO, "serves as rank %u of %u", rank, tc_group_size(job.group));
    *job_out = job;
    return true;
}

tc_status node_job_wait(node_job *job)
{
    tc_context *ctx = tc_group_context(job->group);
    tc_error error;
    if (job->apart)
        return tc_wait(ctx, TURN_NS / 10);
    tc_context_set_interrupt(ctx, wants_end, NULL);
    tc_status status = tc_group_barrier(job->group, TURN_NS, &error);
    tc_context_set_interrupt(ctx, NULL, NULL);
    if (status == TC_OK || status == TC_E_TIMEOUT)
        return status;
    job->apart = true;
    node_say(NODE_WARNING, "waits in no barrier any more: %s", error.text);
    return TC_OK;
}

bool node_job_is_over(const node_job *job)
{
    return job->apart && !node_starter_is_there();
}
