#include "am_job.h"

void am_here(am_job *job)
{
    am_job_meet(job);
}
