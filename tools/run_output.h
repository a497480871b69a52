/* Prints the output of several processes, line by line, with the rank of each before it. */
#ifndef RUN_OUTPUT_H
#define RUN_OUTPUT_H

#include <stdint.h>

typedef struct run_output run_output;

/* For `size` processes. Returns NULL after printing the reason on standard error. */
run_output *run_output_open(uint32_t size);
void run_output_close(run_output *output);

/* Gives the ends to which a process of that rank writes; the caller closes them once the
 * process has them. Returns 0 after printing the reason on standard error. */
int run_output_add(run_output *output, uint32_t rank, int *stdout_fd_out, int *stderr_fd_out);

/* Returns a descriptor that is readable when run_output_serve has something to do. */
int run_output_fd(const run_output *output);
void run_output_serve(run_output *output);

/* Prints the remaining output, until all writers are gone or `milliseconds` have passed. */
void run_output_drain(run_output *output, int milliseconds);

#endif
