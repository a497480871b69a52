/* A rank's connection with the owners: operations and calls that block, over the network as it
 * is or over one that is made slower. */
#ifndef INDEX_CLIENT_H
#define INDEX_CLIENT_H

#include "index.h"

#include <stdbool.h>
#include <tc/call.h>
#include <tc/ifunc.h>
#include <time.h>

enum { INDEX_WHERE, TABLE_FIND, TREE_FIND, TREE_WALK, INDEX_FUNCTIONS };

typedef struct index_client {
    tc_context *ctx;
    tc_group *group;
    tc_ifunc *functions[INDEX_FUNCTIONS];
    uint32_t rank;
    index_shape shape;
    uint64_t delay_ns; /* one way; 0: the network as it is */
    tc_gptr *windows;  /* of each rank; those of clients are not set */
    index_entry *entry;
    index_node *node;
    /* A copy of the inner nodes for tree_by_chain, the nodes that it has, and its version. */
    char *inner;
    bool *is_known;
    uint64_t version;
    tc_error err;     /* of the lookup that failed */
} index_client;

static inline uint64_t index_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Waits for a message and runs it when the delay has passed since it came. Exact where one
 * message at a time is under way. Ranks with a delay wait by this alone. */
void index_step(index_client *c);

/* tc_window_chain, of a rank's window. */
tc_status index_chain(index_client *c, uint32_t rank, const tc_window_step *steps,
                      size_t count);

/* tc_window_get, at an offset of a rank's window. */
tc_status index_get(index_client *c, uint32_t rank, uint64_t offset, void *result,
                    uint64_t size);

/* tc_call. *size_io: bytes at result; then those of the answer. */
tc_status index_call(index_client *c, uint32_t rank, int function, const void *question,
                     size_t question_size, void *result, size_t *size_io);

#endif
