/* A rank of a task graph: its window with the inbox, its peers, and its outputs. */
#ifndef TC_METG_RANK_H
#define TC_METG_RANK_H

#include "metg_graph.h"

#include <stdbool.h>
#include <tc/tc.h>
#include <tc/window_view.h>

#define METG_TIMEOUT_NS TC_SECONDS(30)

/* Words of rank 0's window that all ranks use: a cache line for each. */
typedef enum metg_word {
    METG_WORD_PING,
    METG_WORD_PONG,
    METG_WORD_UNMAPPED, /* ranks that cannot map all windows */
    METG_WORD_WRONG,    /* runs of ranks with wrong outputs or inputs, so far */
    METG_WORDS
} metg_word;

typedef struct metg_peer {
    tc_ep *ep;
    tc_gptr window;
    const tc_window_view *view; /* or NULL */
} metg_peer;

/* The part of a rank that depends on the options alone. */
typedef struct metg_rank_params {
    uint32_t width;        /* a multiple of the ranks */
    uint64_t output_bytes; /* a multiple of 8 */
} metg_rank_params;

typedef struct metg_rank {
    tc_context *ctx;
    tc_group *group;
    uint32_t rank, ranks;
    metg_rank_params params;
    metg_share share;
    void *memory; /* of the window, if no shared memory is to be had; or NULL */
    uint64_t *words;
    metg_peer peers[METG_RANKS_MAX];
    tc_ifunc *where, *inputs;
    bool mapped; /* every rank has mapped the windows of all others */

    /* The run. */
    const metg_graph *graph;
    uint64_t seed;       /* of its sums */
    uint64_t iterations; /* of each kernel */
    uint32_t steps;
    bool is_wrong;             /* a task had an input of another task */
    unsigned char *outputs[2]; /* of steps with even and with odd numbers */
} metg_rank;

/* Opens the rank's window, connects to all others and maps their windows where that is
 * possible. Collective. False after a line on stderr; metg_rank_destroy is owed all the
 * same. */
bool metg_rank_create(tc_context *ctx, tc_group *group, const metg_rank_params *params,
                      metg_rank *rank_out);
void metg_rank_destroy(metg_rank *r);

/* False after a line on stderr, unless the status is TC_OK. */
bool metg_rank_check(tc_status status, const tc_error *err, const char *what);
bool metg_rank_barrier(const metg_rank *r);

/* Prepares a run of a graph: empties the inbox. All ranks do so before any begins. */
void metg_rank_begin(metg_rank *r, const metg_graph *graph, uint32_t steps, uint64_t iterations,
                     uint64_t seed);

/* Lets other processes run, in a wait for outputs. False, after a line on stderr, at the
 * deadline, which the first call of the wait sets.
 *
 * *   end_ns  0 at first */
bool metg_rank_rest(uint64_t *end_ns, uint32_t peer);

/* Counts this rank at rank 0 if a task had a wrong input, or if the last step's outputs do not
 * have these sums, of all points. */
bool metg_rank_compare(metg_rank *r, const uint64_t *sums);

/* Returns how many were counted so far, at rank 0. */
uint64_t metg_rank_wrong(const metg_rank *r);

/* Half the round trip of a word between ranks 0 and 1, in shared memory. Collective; 0 at
 * other ranks than 0, and where windows are not mapped. */
bool metg_rank_measure_word(metg_rank *r, double *ns_out);

static inline metg_output *metg_rank_output(const metg_rank *r, uint32_t step, uint32_t own)
{
    return (metg_output *)(void *)(r->outputs[step % 2] + own * r->params.output_bytes);
}

#endif
