#include "am_job.h"

void am_layouts(am_job *job)
{
    am_job_meet(job);
}
