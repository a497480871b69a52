/* A rank of EM3D: its part of the graph, its window, and its peers. */
#ifndef TC_EM3D_RANK_H
#define TC_EM3D_RANK_H

#include "em3d_graph.h"

#include <stdbool.h>
#include <tc/tc.h>
#include <tc/window_view.h>

#define EM3D_TIMEOUT_NS TC_SECONDS(30)

/* Words of rank 0's window that all ranks use: a cache line for each. */
typedef enum em3d_word {
    EM3D_WORD_PING,
    EM3D_WORD_PONG,
    EM3D_WORD_UNMAPPED, /* ranks that cannot map all windows */
    EM3D_WORD_WRONG,    /* results of ranks that differed from the serial run's, so far */
    EM3D_WORDS
} em3d_word;

typedef struct em3d_peer {
    tc_ep *ep;
    tc_gptr window;
    const tc_window_view *view; /* or NULL */
} em3d_peer;

typedef struct em3d_rank {
    tc_context *ctx;
    tc_group *group;
    uint32_t rank, ranks;
    em3d_graph graph;
    em3d_share share;
    void *memory; /* of the window, if no shared memory is to be had; or NULL */
    uint64_t *words;
    em3d_peer peers[EM3D_RANKS_MAX];
    tc_ifunc *where, *read, *store;
    bool mapped;         /* every rank has mapped the windows of all others */
    uint64_t phase;      /* counts the exchanges of all versions, alike at all ranks */
    tc_status ghost_end; /* the first failure of values that are fetched together, or TC_OK */
    double *packed;      /* as many values as a rank has nodes of a kind */
} em3d_rank;

/* Makes the rank's part of the graph, opens its window, connects to all others and maps their
 * windows where that is possible. Collective. False after a line on stderr;
 * em3d_rank_destroy is owed all the same. */
bool em3d_rank_create(tc_context *ctx, tc_group *group, const em3d_graph_params *params,
                      em3d_rank *rank_out);
void em3d_rank_destroy(em3d_rank *r);

/* False after a line on stderr, unless the status is TC_OK. */
bool em3d_rank_check(tc_status status, const tc_error *err, const char *what);
bool em3d_rank_barrier(const em3d_rank *r);

/* Bytes from the beginning of a peer's window. */
uint64_t em3d_rank_value_offset(const em3d_rank *r, uint32_t peer, uint32_t kind,
                                uint32_t slot);
uint64_t em3d_rank_arrived_offset(uint32_t from);

/* Gives own nodes their first values, and ghosts one that no result survives. */
void em3d_rank_reset(em3d_rank *r);

/* Updates own nodes of a kind, with every value that they need here. Returns true. */
bool em3d_rank_update(em3d_rank *r, uint32_t kind);

/* Counts this rank at rank 0 if its nodes do not have these values, of all nodes. */
bool em3d_rank_compare(em3d_rank *r, double *const expected[EM3D_KINDS]);

/* Returns how many results were counted so far, at rank 0. */
uint64_t em3d_rank_wrong(const em3d_rank *r);

/* Half the round trip of a word between ranks 0 and 1, in shared memory. Collective; 0 at
 * other ranks than 0, and where windows are not mapped. */
bool em3d_rank_measure_word(em3d_rank *r, double *ns_out);

#endif
