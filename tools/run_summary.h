/* tc-run --json: how a job ended. */
#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "run_job.h"

/* One JSON object into a file, or to standard output for "-"; `status` is what tc-run exits with.
 * 0: says on standard error why not. */
int run_summary_write(const char *path, const run_job *job, const char *program, int status);

#endif
