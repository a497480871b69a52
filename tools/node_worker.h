/* A process of tc-node --isolate, as the node sees it: started ahead, then given one peer, and
 * ended with it. */
#ifndef NODE_WORKER_H
#define NODE_WORKER_H

#include "node_counters.h"
#include "node_report.h"

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#define NODE_WORKER_PEER_MAX 96
#define NODE_WORKER_FDS 3u /* descriptors of each that may be polled */

typedef struct node_worker {
    pid_t pid; /* also the id of its process group */
    int pidfd;
    int channel;
    int counters;
    int connection; /* a duplicate of its peer's; -1: no peer yet */
    char peer[NODE_WORKER_PEER_MAX];
    bool ready; /* it has reported this */
    bool done;  /* it reported that it ends because its peer has gone */
    bool made_long_call;
    bool peer_has_gone;                    /* seen at the connection */
    bool reports_ended;                    /* its channel is closed */
    uint64_t kill_ns;                      /* when to kill it; 0: never */
    char reason[NODE_REPORT_TEXT_MAX + 1]; /* why it dies, as far as it reported that */
} node_worker;

/* Starts this very program again with its arguments and one more. Returns 0 on failure: errno
 * has the reason. */
int node_worker_start(char **argv, node_worker *worker_out);

/* Gives it its peer. The connection belongs to the worker from then on, also on failure. */
bool node_worker_give(node_worker *worker, int connection, const char *peer);

/* Fills its NODE_WORKER_FDS entries for poll. */
void node_worker_watch(const node_worker *worker, struct pollfd *fds);
/* Processes the results of poll. Returns true if it has ended: node_worker_collect is due
 * then. */
bool node_worker_look(node_worker *worker, const struct pollfd *fds, uint64_t now_ns);

/* Asks it to end in order. It is killed if it still runs at `kill_ns`. */
void node_worker_stop(node_worker *worker, uint64_t kill_ns);

/* Called after its end: kills the rest of its process group, reports to the peer and on
 * standard error how it ended if that was not in order, adds its counters and frees its
 * resources. Returns whether it ended in order, or had no peer. */
bool node_worker_collect(node_worker *worker, tc_context *ctx, node_counters *sum);
void node_worker_add_counters(const node_worker *worker, node_counters *sum);

#endif
