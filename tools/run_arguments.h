/* The arguments of tc-run: options of the job, and parts that ':' separates, each with a
 * program and the number of its processes. */
#ifndef RUN_ARGUMENTS_H
#define RUN_ARGUMENTS_H

#include "bootstrap/run_protocol.h"

typedef struct run_part {
    uint32_t first; /* rank of its first process */
    uint32_t count;
    const char *name; /* of the program, for members; NULL in a job without names */
    char **command;   /* the program and its arguments; NULL after the last */
} run_part;

typedef struct run_arguments {
    uint64_t timeout_s; /* 0: no timeout */
    bool label;
    bool keep_going;
    const char *json; /* NULL: no summary; "-": standard output */
    uint32_t size;    /* processes of all parts, at most TCI_RUN_SIZE_MAX */
    uint32_t part_count;
    run_part parts[TCI_RUN_PROGRAM_MAX];
} run_arguments;

/* Returns TOOL_GO_ON, or the exit status after printing the mistake, or help. Changes argv,
 * which the parts' commands are of. */
int run_arguments_parse(int argc, char **argv, run_arguments *args_out);

/* Returns the number of the part that has a rank. */
uint32_t run_arguments_part_of(const run_arguments *args, uint32_t rank);

#endif
