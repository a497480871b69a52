/* The processes of one tc-run: started, watched, and ended by their ids.
 *
 * Each is the leader of a process group of its own and stays a zombie until the job's end, so
 * that its number, and its group's, are not reused meanwhile. All die with tc-run. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include <stdint.h>
#include <sys/types.h>

#define RUN_JOB_HOW_MAX 80

typedef struct run_process {
    pid_t pid; /* 0: not started */
    int ended;
    int by_signal;
    int status;                /* an exit status, or 128 + the signal */
    char how[RUN_JOB_HOW_MAX]; /* "ended with status 3" */
} run_process;

typedef struct run_job {
    uint32_t size;
    uint32_t running;
    run_process *processes;
} run_job;

/* The parameters of a process to start. */
typedef struct run_start {
    char **argv;
    uint32_t program; /* its number and name; NULL in a job without names */
    const char *name;
    const char *socket;
    const char *secret;
    int out_fd; /* -1: tc-run's own */
    int err_fd;
} run_start;

/* Returns 0 without memory. */
int run_job_init(run_job *job, uint32_t size);

/* Returns 0, or the exit status for tc-run (126, 127) after printing the reason on standard
 * error. */
int run_job_start(run_job *job, uint32_t rank, const run_start *start);

/* Finds the next process that has ended since the last call. Returns 0 if there is none. */
int run_job_next_end(run_job *job, uint32_t *rank_out);

/* Signals the processes that run, with all of their groups. */
void run_job_signal(const run_job *job, int number);

/* Kills the rest of every process's group. The way each process ended can be read until
 * run_job_fini. */
void run_job_end(run_job *job);
void run_job_fini(run_job *job);

#endif
