/* The processes of one tc-run: started, watched, and ended by their ids.
 *
 * Each is the leader of a process group of its own and stays a zombie until the job's end, so
 * that its number, and its group's, mean nobody else meanwhile. All die with tc-run. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include <stdint.h>
#include <sys/types.h>

#define RUN_JOB_HOW_MAX 80

typedef struct run_process {
    pid_t pid; /* 0: not started */
    int ended;
    int by_signal;
    int status;                /* an exit status, or 128 and the signal */
    char how[RUN_JOB_HOW_MAX]; /* "ended with status 3" */
} run_process;

typedef struct run_job {
    uint32_t size;
    uint32_t running;
    run_process *processes;
} run_job;

/* What a process starts with. */
typedef struct run_start {
    char **argv;
    const char *socket;
    const char *secret;
    int out_fd; /* -1: tc-run's own */
    int err_fd;
} run_start;

/* 0: no memory. */
int run_job_init(run_job *job, uint32_t size);

/* Returns 0, or what tc-run is to exit with (126, 127), and says why on standard error. */
int run_job_start(run_job *job, uint32_t rank, const run_start *start);

/* The next process that has ended since it was last asked; 0: none. */
int run_job_next_end(run_job *job, uint32_t *rank_out);

/* Those that run, with all of their group. */
void run_job_signal(const run_job *job, int number);

/* Ends whatever is left of any process's group. How each ended can be read until run_job_fini. */
void run_job_end(run_job *job);
void run_job_fini(run_job *job);

#endif
