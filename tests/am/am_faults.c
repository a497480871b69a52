#include "am_job.h"

void am_faults(am_job *job)
{
    am_job_meet(job);
}
