/* A rank of a job that tests active messages; tc-run starts it.
 *
 *     am_main basics | layouts | faults | orders | large | origins | deaths | storm ROUNDS */
#include "am_job.h"

int main(int argc, char **argv)
{
    static am_job job;
    const char *test = argc > 1 ? argv[1] : "";
    const tc_ams_params small = {.unit_bytes = 256, .credit_bytes = 1024};
    const bool is_storm = strcmp(test, "storm") == 0 && argc == 3;
    const bool is_order = strcmp(test, "orders") == 0;
    am_job_begin(&job, is_order ? &small : NULL, !is_order);
    if (is_storm)
        am_storm(&job, (uint32_t)strtoul(argv[2], NULL, 10));
    else if (strcmp(test, "basics") == 0)
        am_basics(&job);
    else if (strcmp(test, "layouts") == 0)
        am_layouts(&job);
    else if (strcmp(test, "faults") == 0)
        am_faults(&job);
    else if (is_order)
        am_orders(&job);
    else if (strcmp(test, "origins") == 0)
        am_origins(&job);
    else if (strcmp(test, "large") == 0)
        am_large(&job);
    else if (strcmp(test, "deaths") == 0)
        am_deaths(&job);
    else
        REQUIRE(strcmp(test, "a test of the list") == 0);
    if (strcmp(test, "deaths") != 0)
        am_job_end(&job);
    return 0;
}
