/* The activity of a node, as the function of tc-info --watch reports it: a head, the counters
 * of tc_stats_value in their order, and entries of its usage (tc/usage.h). */
#ifndef NODE_ACTIVITY_H
#define NODE_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_ACTIVITY_KINDS 3u
#define NODE_ACTIVITY_FUNCTIONS_MAX 256u /* of more than that those with the most calls */
#define NODE_ACTIVITY_PEERS_MAX 128u
#define NODE_ACTIVITY_IDENTITIES_MAX 64u
#define NODE_ACTIVITY_ENTRIES_MAX                                                              \
    (NODE_ACTIVITY_FUNCTIONS_MAX + NODE_ACTIVITY_PEERS_MAX + NODE_ACTIVITY_IDENTITIES_MAX)
#define NODE_ACTIVITY_COUNTERS_MAX 256u
#define NODE_ACTIVITY_TEXT_MAX 112u

typedef struct node_activity_head {
    uint64_t clock_ns; /* of the node, when it took these figures */
    uint64_t counters;
    uint64_t entries;
    uint64_t libraries; /* in force */
    uint64_t packages;
    uint64_t has_usage;                     /* 1: the node counts its usage */
    uint64_t left_out[NODE_ACTIVITY_KINDS]; /* entries beyond the bounds */
} node_activity_head;

/* A tc_usage_entry; longer texts are cut. */
typedef struct node_activity_entry {
    char name[NODE_ACTIVITY_TEXT_MAX];
    char identity[NODE_ACTIVITY_TEXT_MAX];
    uint8_t id[16];
    uint32_t kind;
    uint32_t peer;
    uint32_t is_other;
    uint32_t peers;
    uint64_t calls;
    uint64_t bytes;
    uint64_t turns;
    uint64_t turns_full;
    uint64_t refusals;
    uint64_t evictions;
    uint64_t timed;
    uint64_t time_ns;
    uint64_t p50_ns;
    uint64_t p99_ns;
} node_activity_entry;

#define NODE_ACTIVITY_BYTES_MAX                                                                \
    (sizeof(node_activity_head) + NODE_ACTIVITY_COUNTERS_MAX * sizeof(uint64_t) +              \
     NODE_ACTIVITY_ENTRIES_MAX * sizeof(node_activity_entry))

/* The parts of an answer. */
typedef struct node_activity {
    node_activity_head head;
    const uint64_t *counters;
    node_activity_entry *entries;
} node_activity;

/* Finds the parts of a peer's answer, which stay in `answer` (aligned as malloc aligns),
 * terminates their texts and makes them printable. Returns false for a malformed answer:
 * another size than its numbers make, more than the bounds above, or an entry of an unknown
 * kind; `why_out` then has the found and the expected one. */
bool node_activity_read(void *answer, size_t size, node_activity *activity_out, char *why_out,
                        size_t why_size);

#endif
