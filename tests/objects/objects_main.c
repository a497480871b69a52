/* A rank of a job that tests objects; tc-run starts it.
 *
 *     objects_main storm ROUNDS | kinds | faults | sizes | deaths */
#include "thing_job.h"

#include <string.h>

int main(int argc, char **argv)
{
    static thing_job job;
    const char *test = argc > 1 ? argv[1] : "";
    thing_job_begin(&job, strcmp(test, "faults") == 0 ? 100 : 0);
    if (strcmp(test, "storm") == 0 && argc == 3)
        thing_storm(&job, (uint32_t)strtoul(argv[2], NULL, 10));
    else if (strcmp(test, "kinds") == 0)
        thing_kinds(&job);
    else if (strcmp(test, "faults") == 0)
        thing_faults(&job);
    else if (strcmp(test, "sizes") == 0)
        thing_sizes(&job);
    else if (strcmp(test, "deaths") == 0)
        thing_deaths(&job);
    else
        REQUIRE(strcmp(test, "a test of the list") == 0);
    thing_job_end(&job);
    return 0;
}
