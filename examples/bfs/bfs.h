/* Types shared by the function bfs, the ranks that it runs at and the one that starts it.
 *
 * A vertex belongs to the rank vertex % ranks, which has all its neighbours and its distance
 * from the root. */
#ifndef BFS_H
#define BFS_H

#include <stdint.h>
#include <tc/entry.h>

/* The name under which each rank publishes its bfs_share. */
#define BFS_SHARE "bfs_share"
#define BFS_UNREACHED UINT32_MAX
#define BFS_BATCH_MAX 1000u     /* vertices of one message */
#define BFS_DISTANCES_MAX 2000u /* of one answer */

typedef enum bfs_kind {
    BFS_START = 1, /* a call: forget the last search; `value` is the root */
    BFS_LEVEL, /* a call: the neighbours of vertices at distance `value`; a bfs_level answers */
    BFS_GO_ON, /* of that, to itself, when a queue was full */
    BFS_VISIT, /* from member to member: `count` vertices at distance `value` follow */
    BFS_MARK,  /* behind all visits of a level: `count` of them were sent by this member */
    BFS_DISTANCES /* a call: those from the vertex number `value` of the rank on */
} bfs_kind;

typedef struct bfs_head {
    uint32_t kind;
    uint32_t value;
    uint32_t count;
    uint32_t unused;
} bfs_head;

typedef struct bfs_message {
    bfs_head head;
    uint32_t vertices[BFS_BATCH_MAX];
} bfs_message;

/* The work of a rank in a level. */
typedef struct bfs_level {
    uint64_t edges;    /* looked at */
    uint64_t messages; /* sent to other ranks */
    uint64_t found;    /* vertices here that were not reached before */
} bfs_level;

/* State of another member, seen from here. */
typedef struct bfs_peer {
    bfs_message batch; /* to go there: head.count is how many it holds so far */
    uint32_t sent;     /* batches of this level */
    uint32_t came;     /* batches of this level from there */
} bfs_peer;

typedef struct bfs_share {
    /* The graph, given by the program. */
    uint32_t vertices; /* of the whole graph */
    uint32_t own;      /* of this rank */
    const uint64_t *first;
    const uint32_t *neighbours;
    /* The search: the function's, in memory that the program gives. */
    uint32_t *distances; /* of each of its own */
    uint32_t *frontier;  /* its own, at the distance of this level; space for all */
    uint32_t *found;     /* one further; space for all */
    uint32_t frontier_count, found_count;
    uint8_t *told;   /* a bit for each vertex of the graph: it was sent to its owner */
    bfs_peer *peers; /* one for each rank */
    uint32_t level;
    uint32_t at;     /* in the frontier */
    uint64_t edge;   /* of that vertex */
    uint32_t marked; /* ranks that have this one's mark */
    uint32_t marks;  /* that came */
    bfs_level answer;
    tc_status status;    /* the first failure of the level */
    tc_call_ticket call; /* of the level */
} bfs_share;

#endif
