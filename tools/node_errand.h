/* What a confined node asks for beside files: calls that are allowed for some objects alone, which
 * the filter cannot tell apart by the numbers that it sees.
 *
 * - sendto, of one byte to an address: UCX wakes a peer that sleeps so. One byte, zero, is sent
 *   by another socket, and only to sockets that have a number for a name, as UCX's have.
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
    int call; /* 0: of a call that is none of these */
    pid_t node;
    uint64_t first; /* argument */
    char address[NODE_FILTER_WAKE_ADDRESS_BYTES];
} node_errand;

/* The answer: a result, or an errno; or the kernel is to make the call as it was asked for. */
typedef struct node_errand_end {
    int problem;
    long result;
    bool goes_on;
} node_errand_end;

/* Copies what the call says, out of the caller's memory where that is needed. Returns 0 or an
 * errno. */
int node_errand_read(const struct seccomp_data *call, pid_t caller, pid_t node,
                     node_errand *errand_out);

void node_errand_do(const node_errand *errand, node_errand_end *end_out);

#endif
