/* The command-line arguments of tc-node. */
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
    const char *http;        /* address for metrics; NULL: none */
    const char *config;      /* NULL: none */
    const char *make_key;    /* NULL: none; else tc-node only makes the key */
    int socket;              /* that listens, of node_activation.h; -1: none */
    int http_socket;         /* that listens, of the node before, for `http`; -1: none */
    uint64_t exit_after;     /* messages; 0: no limit */
    uint64_t memory_max;     /* bytes; 0: no limit */
    uint64_t drain_seconds;  /* for functions and answers after SIGTERM */
    uint64_t processes;      /* maximum of peers served at once, with isolate */
    uint64_t successor_of;   /* id of the tc-node that this one follows; 0: none */
    uint64_t worker_of;      /* id of the tc-node that started this worker; 0: not a worker */
    bool check_config;       /* only that */
    bool join;               /* the group of the job, instead of listening */
    bool isolate;
    bool confine;
    bool json;
    const char *allowed[NODE_ALLOWED_MAX]; /* paths, of --allow-read and --allow-write */
    int allowed_writable[NODE_ALLOWED_MAX];
    unsigned allowed_count;
    const char *packages[NODE_PACKAGES_MAX]; /* files that tc-package made */
    unsigned package_count;
} node_arguments;

/* Reads the command line, and the file of --config: *argv has its settings from then on, and
 * starts other processes with them. Returns TOOL_GO_ON, or the exit status of the
 * program after printing the reason. */
int node_arguments_parse(int argc, char ***argv, node_arguments *args_out);

#endif
