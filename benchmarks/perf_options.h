/* The command line of tc-perf. */
#ifndef TC_PERF_OPTIONS_H
#define TC_PERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_DELIVERIES_MAX 4
#define PERF_DELIVERY_NAME_MAX 16
#define PERF_LIST_MAX 24
#define PERF_PATH_MAX 2048
#define PERF_SERVERS_MAX 64u
#define PERF_INFLIGHT_MAX 64u /* chases at once */

typedef struct perf_experiment perf_experiment;

/* "1,4,8" or "1..8" */
typedef struct perf_list {
    uint64_t values[PERF_LIST_MAX];
    unsigned count;
} perf_list;

typedef struct perf_range {
    uint64_t min;
    uint64_t max;
} perf_range;

typedef struct perf_options {
    const perf_experiment *experiment;
    perf_list payloads;     /* bytes */
    size_t payload_bytes;   /* the one of payloads that is measured now */
    perf_list outstanding;  /* calls at once */
    uint64_t calls_at_once; /* the one of outstanding that is measured now */
    uint64_t iterations;    /* 0: as many as fit the time of one measurement */
    uint64_t warmup;
    unsigned rounds;
    const char *modes;     /* comma list */
    const char *api;       /* "own" or "compat" */
    const char *functions; /* of first-call, comma list */
    const char *paths;     /* the same */
    /* empty: the library's own choice, or the environment's */
    char deliveries[PERF_DELIVERIES_MAX][PERF_DELIVERY_NAME_MAX];
    unsigned delivery_count;
    perf_list senders;   /* empty: one, as usual */
    perf_list endpoints; /* of poll */
    perf_list processes;
    perf_list servers; /* of a pointer chase */
    perf_list depths;
    perf_list inflight;         /* chases at once */
    const char *wait;           /* comma list */
    const char *load;           /* of tail: comma list of none, vm and cpu */
    const char *stressor;       /* "auto", "own" or "stress-ng" */
    const char *placement;      /* comma list of "cache" and "memory" */
    const char *function;       /* of the experiment's functions */
    perf_list ring_bytes;       /* empty: the library's own choice, as usual */
    const char *transport;      /* "tcp" or "shm" */
    const char *cache;          /* "warm" or "cold" */
    const char *answer;         /* "reply" or "ifunc" */
    const char *start;          /* "owner" or "any" */
    const char *server_program; /* NULL: this one */
    unsigned peers;             /* of the target that waits */
    unsigned origins;           /* of active messages to one target */
    uint64_t seconds;           /* of a flood */
    uint64_t burn_ns;           /* the target's time for each message of it */
    uint64_t slack_bytes;       /* that memory may grow by in it */
    perf_range sizes;           /* of the payloads of integrity, in bytes */
    const char *json_path;      /* NULL, a file, or "-" */
    const char *tls;
    const char *ifunc_path; /* never NULL */
    int cpus[2];            /* source, target; -1: not pinned */
    int pairs[2][2];        /* of --pin A,B:C,D: those that take turns */
    unsigned pair_count;    /* 0: cpus alone */
    bool verbose;
    bool is_pinned;              /* by --pin, or not at all as it said */
    bool intrusion;              /* first-call: the cost of new functions for other peers */
    bool holes;                  /* first-call: of functions with holes */
    bool table;                  /* overhead: rates beside the paper's, instead */
    bool threads;                /* tsi: senders as threads of one process, too */
    bool unread;                 /* bandwidth: the function leaves its payload alone */
    char text[4][PERF_PATH_MAX]; /* the memory that the pointers above point into */
} perf_options;

/* Where this program's file is. False after a complaint. */
bool perf_options_program_folder(char folder[PERF_PATH_MAX]);

/* Returns TOOL_GO_ON, or the exit status after help or an error. */
int perf_options_parse(perf_options *options, int argc, char **argv);

#endif
