/* tc-run --json: how a job ended. */
#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "run_job.h"

/* Writes one JSON object into a file, or to standard output for "-"; `status` is tc-run's exit
 * status. Returns 0 after printing the reason on standard error. */
int run_summary_write(const char *path, const run_job *job, const char *program, int status);

#endif
