/* Requests of a confined node other than files: calls that are allowed for some objects only,
 * which the filter cannot distinguish by the numbers that it sees.
 *
 * - sendto, of one byte to an address: UCX wakes a sleeping peer in this way. One zero byte is
 *   sent by another socket, and only to sockets whose name is a number, as UCX's are.
 * - shmctl(IPC_RMID), of segments that the node has made.
 * - shmat, of those, and of the same user's that go with their last process: peers' rings.
 * - pidfd_send_signal(SIGKILL), to compilers, which are the node's children. */
#ifndef NODE_ERRAND_H
#define NODE_ERRAND_H

#include "node_filter.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct seccomp_data;

typedef struct node_errand {
    int call; /* system call number; 0: not one of these */
    pid_t node;
    uint64_t first; /* first argument */
    char address[NODE_FILTER_WAKE_ADDRESS_BYTES];
} node_errand;

/* The outcome: a result or an errno. `goes_on`: the kernel makes the call as it was
 * requested. */
typedef struct node_errand_end {
    int problem;
    long result;
    bool goes_on;
} node_errand_end;

/* Copies the arguments of the call, also from the caller's memory where needed. Returns 0 or an
 * errno. */
int node_errand_read(const struct seccomp_data *call, pid_t caller, pid_t node,
                     node_errand *errand_out);

void node_errand_do(const node_errand *errand, node_errand_end *end_out);

#endif
