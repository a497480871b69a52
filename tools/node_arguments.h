/* What tc-node is told. */
#ifndef NODE_ARGUMENTS_H
#define NODE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#define NODE_ALLOWED_MAX 32
#define NODE_PACKAGES_MAX 16

typedef struct node_arguments {
    const char *listen;
    const char *library;     /* NULL: none */
    const char *args_symbol; /* NULL: target_args is NULL */
    const char *port_file;   /* NULL: none */
    const char *stats_file;  /* NULL: none */
    const char *make_key;    /* NULL: none; else that is all there is to do */
    uint64_t exit_after;     /* messages; 0: no end */
    uint64_t memory_max;     /* bytes; 0: any */
    uint64_t processes;      /* that serve peers at once, with isolate */
    uint64_t worker_of;      /* the process that this one serves a peer for; 0: none */
    bool isolate;
    bool confine;
    bool json;
    const char *allowed[NODE_ALLOWED_MAX]; /* paths, of --allow-read and --allow-write */
    int allowed_writable[NODE_ALLOWED_MAX];
    unsigned allowed_count;
    const char *packages[NODE_PACKAGES_MAX]; /* files that tc-package made */
    unsigned package_count;
} node_arguments;

/* Returns TOOL_GO_ON, or what the program is to exit with, and says why. */
int node_arguments_parse(int argc, char **argv, node_arguments *args_out);

#endif
