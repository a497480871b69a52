/* Other processes in a test: started, read from, waited for with a deadline, and ended by their
 * id whatever becomes of the test. Their standard input stays open as long as the test lives,
 * so a process that reads to its end cannot outlive it. A failure here fails the test. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_DEADLINE_NS 60000000000ull /* only ends processes that hang */
#define PROCESS_LINE_MAX 20000

typedef struct process {
    pid_t pid;  /* 0: was waited for */
    int in_fd;  /* its standard input; -1: closed */
    int out_fd; /* its standard output; 0: never started, or ended */
    size_t kept;
    char line[PROCESS_LINE_MAX]; /* bytes read and not returned yet */
} process;

/* argv[0] is a path. The environment is this process's, with `settings` ("NAME=value", ended by
 * NULL; or NULL). */
void process_start(process *p, const char *const *argv, const char *const *settings);

/* The next line of its output, without its newline; valid until the next call. */
const char *process_read_line(process *p);

/* Its number after `word` and a space in the next line. */
uint64_t process_read_number(process *p, const char *word);

void process_signal(const process *p, int number);

/* Closes its standard input, which makes it end. */
void process_finish_input(process *p);

/* Waits for its end; gives the exit status, or 128 + the signal. */
int process_wait(process *p);

/* Leaves it dead, but not waited for: a zombie. */
void process_kill_unreaped(process *p);

/* For teardown: kills and waits for whatever is left of it. */
void process_end(process *p);

#endif
