#include "am_job.h"

void am_orders(am_job *job)
{
    am_job_meet(job);
}
