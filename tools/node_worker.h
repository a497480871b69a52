/* A process of tc-node --isolate, as the node sees it: started ahead, then given one peer, and
 * gone with it. */
#ifndef NODE_WORKER_H
#define NODE_WORKER_H

#include "node_counters.h"
#include "node_report.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#define NODE_WORKER_PEER_MAX 96
#define NODE_WORKER_FDS 3u /* that each may want to be polled */

typedef struct node_worker {
    pid_t pid; /* also its process group's */
    int pidfd;
    int channel;
    int counters;
    int connection; /* a duplicate of its peer's; -1: it has no peer yet */
    char peer[NODE_WORKER_PEER_MAX];
    bool ready; /* it has said so */
    bool done;  /* it said that it ends because its peer has gone */
    bool made_long_call;
    bool peer_has_gone;                    /* the connection says so */
    uint64_t kill_ns;                      /* when to kill it; 0: not to */
    char reason[NODE_REPORT_TEXT_MAX + 1]; /* why it dies, as far as it said */
} node_worker;

/* Starts this very program again with its arguments and one more. 0: errno says why. */
int node_worker_start(char **argv, node_worker *worker_out);

/* Gives it its peer; the connection is the worker's from then on, also if that fails. */
bool node_worker_give(node_worker *worker, int connection, const char *peer);

/* What it is to be polled for: NODE_WORKER_FDS entries. */
void node_worker_watch(const node_worker *worker, struct pollfd *fds);
/* What poll has said. True: it has ended, and node_worker_collect is due. */
bool node_worker_look(node_worker *worker, const struct pollfd *fds, uint64_t now_ns);

/* To end in order, and at once if it does not by `kill_ns`. */
void node_worker_stop(node_worker *worker, uint64_t kill_ns);

/* After its end: ends what is left of its process group, tells the peer and standard error how
 * it ended if that was not in order, adds its counters and frees what it held. */
void node_worker_collect(node_worker *worker, tc_context *ctx, node_counters *sum);
void node_worker_add_counters(const node_worker *worker, node_counters *sum);

uint64_t node_worker_clock_ns(void);

#endif
