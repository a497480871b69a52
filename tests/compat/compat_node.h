/* One process of a test of the original's API: the set-up of any program of that API before its
 * first call. Processes are forked before UCX is started, and find each other by socket pairs.
 * A failure here ends the process with a text; the test sees its exit status. */
#ifndef COMPAT_NODE_H
#define COMPAT_NODE_H

#include "../support/require.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucp/api/ucp.h>

#define NODE_LINKS_MAX 4

/* This process's knowledge of another one. */
typedef struct compat_link {
    ucp_ep_h ep;
    ucp_rkey_h rkey;
    uint64_t remote; /* where its memory is */
    int fd;
} compat_link;

typedef struct compat_node {
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_mem_h memory_handle;
    uint8_t *memory; /* others may write it */
    size_t memory_bytes;
    compat_link links[NODE_LINKS_MAX];
    unsigned link_count;
} compat_node;

/* Starts UCX and maps memory. */
void compat_node_open(compat_node *node, size_t memory_bytes);
/* Exchanges addresses and keys over fd; both sides at once. Returns the link. */
compat_link *compat_node_link(compat_node *node, int fd);
/* A link to this very process. */
compat_link *compat_node_link_self(compat_node *node);
/* Waits until all that was put to that link is there. */
void compat_node_flush(compat_node *node, compat_link *link);
/* Waits for all others, so that no memory is freed while it is written. */
void compat_node_close(compat_node *node);

/* Puts one number into the other's memory; flushed. */
void compat_node_put_number(compat_node *node, compat_link *link, size_t offset,
                            const uint64_t *number);
/* Progresses until the number in this memory is at least that. */
void compat_node_await_number(compat_node *node, size_t offset, uint64_t at_least);

/* Sends once the slot is free, and does not wait further. */
void compat_node_send(compat_node *node, compat_link *link, const ucp_ifunc_msg_t *msg,
                      size_t offset);
/* Polls one slot of this memory until a message was run there. */
void compat_node_run(compat_node *node, size_t offset, size_t bytes, void *target_args);

ucp_ifunc_h compat_node_register(compat_node *node, const char *name, int llvm_bc);
ucp_ifunc_msg_t compat_message(ucp_ifunc_h ifunc, const void *args, size_t size);

/* A child that runs `body` with its end of a socket pair, and ends with status 0 if that
 * returns. */
typedef struct compat_child {
    pid_t pid;
    int fd; /* this process's end */
} compat_child;

compat_child compat_fork(void (*body)(int fd, void *user), void *user);
/* Returns whether it ended well. */
bool compat_wait(compat_child *child);

#endif
