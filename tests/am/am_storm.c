#include "am_job.h"

void am_storm(am_job *job, uint32_t rounds)
{
    (void)rounds;
    am_job_meet(job);
}
