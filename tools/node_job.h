/* tc-node as a member of the group of the job that started it: it serves, and waits in no
 * barrier for longer than the others. */
#ifndef NODE_JOB_H
#define NODE_JOB_H

#include <stdbool.h>
#include <tc/group.h>

typedef struct node_job {
    tc_group *group; /* or NULL */
    bool apart;      /* rank 0 has gone, which ends barriers */
} node_job;

/* Joins the job's group, and reports to a tc-run that started this process that it only serves.
 * Returns false after printing the reason. */
bool node_job_join(tc_context *ctx, node_job *job_out);

/* Waits for messages in the group's barriers, until a barrier or a second is over, or the
 * process is asked to end. Returns a status as tc_wait does. */
tc_status node_job_wait(node_job *job);

/* Returns whether the group has ended. In a job of tc-run it is tc-run that knows. */
bool node_job_is_over(const node_job *job);

#endif
