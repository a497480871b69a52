#include "am_job.h"

void am_origins(am_job *job)
{
    am_job_meet(job);
}
