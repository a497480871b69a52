/* A rank of an application of the paper on MRPC: its window, its peers, and the words by which
 * ranks count and meet. */
#ifndef TC_MRPC_RANK_H
#define TC_MRPC_RANK_H

#include "mrpc_share.h"

#include <stdbool.h>
#include <stddef.h>
#include <tc/tc.h>
#include <tc/window_view.h>

#define MRPC_RANKS_MAX 64u
#define MRPC_TIMEOUT_NS TC_SECONDS(30)

/* Words of rank 0's window that all ranks use: a cache line for each. */
typedef enum mrpc_word {
    MRPC_WORD_PING,
    MRPC_WORD_PONG,
    MRPC_WORD_UNMAPPED, /* ranks that cannot map all windows */
    MRPC_WORD_WRONG,    /* results of ranks that differed from the serial run's, so far */
    MRPC_WORD_STAMPS,   /* sums over ranks: of stamps, and of nanoseconds in each part */
    MRPC_WORD_PARTS,
    MRPC_WORD_PARTS_END = MRPC_WORD_PARTS + MRPC_PARTS - 1,
    MRPC_WORD_PORT, /* of any rank: that at which it serves ONC RPC */
    MRPC_WORDS
} mrpc_word;

typedef struct mrpc_peer {
    tc_ep *ep;
    tc_gptr window;
    const tc_window_view *view; /* or NULL */
} mrpc_peer;

struct mrpc_rpc;

/* The first member of each application's own rank. */
typedef struct mrpc_rank {
    tc_context *ctx;
    tc_group *group;
    uint32_t rank, ranks;
    mrpc_share *share; /* the application's */
    void *memory;      /* of the window, if no shared memory is to be had; or NULL */
    uint64_t *words;
    mrpc_peer peers[MRPC_RANKS_MAX];
    tc_ifunc *where;
    mrpc_stamps stamps;
    bool mapped;          /* every rank has mapped the windows of all others */
    struct mrpc_rpc *rpc; /* ONC RPC, or NULL */
    uint64_t exchange;    /* counts the exchanges of all versions, alike at all ranks */
    tc_status end;        /* the first failure of operations under way, or TC_OK */
} mrpc_rank;

/* False after a line on stderr, unless the status is TC_OK. */
bool mrpc_rank_check(tc_status status, const tc_error *err, const char *what);
bool mrpc_rank_has_memory(bool enough);
__attribute__((format(printf, 1, 2))) bool mrpc_rank_fail(const char *format, ...);

/* Notes the context and the group. False, after a line on stderr, for a number of ranks outside
 * of the limits. */
bool mrpc_rank_init(mrpc_rank *r, tc_context *ctx, tc_group *group);

/* Opens a window with `bytes` of the application's own, connects to all other ranks, and maps
 * their windows where that is possible. Collective, after mrpc_rank_init; mrpc_rank_destroy is
 * owed all the same.
 *
 *   share  the beginning of the functions' target arguments; stays until mrpc_rank_destroy. Its
 *          window and arrivals are filled in, and `arrange` then fills in the rest. */
typedef void (*mrpc_rank_arranger)(mrpc_rank *r);
bool mrpc_rank_open(mrpc_rank *r, uint64_t bytes, mrpc_share *share,
                    mrpc_rank_arranger arrange);
void mrpc_rank_destroy(mrpc_rank *r);

bool mrpc_rank_open_function(mrpc_rank *r, const char *name, tc_ifunc **fn_out);
bool mrpc_rank_barrier(mrpc_rank *r);

/* Bytes from the beginning of any rank's window: the application's own part, and the word in
 * which the data of `from` are counted. */
uint64_t mrpc_rank_own_offset(void);
uint64_t mrpc_rank_arrived_offset(uint32_t from);

/* This rank's memory of its window, from the application's own part on. */
void *mrpc_rank_own(const mrpc_rank *r);

/* A position in a peer's window. */
static inline tc_gptr mrpc_rank_at(const mrpc_rank *r, uint32_t peer, uint64_t offset)
{
    tc_gptr at = r->peers[peer].window;
    at.offset = offset;
    return at;
}

/* Adds to a word of rank 0's window. */
bool mrpc_rank_add_word(mrpc_rank *r, mrpc_word word, uint64_t value);

/* Words of this rank's own window, and of a peer's. */
uint64_t mrpc_rank_word(const mrpc_rank *r, mrpc_word word);
void mrpc_rank_set_word(mrpc_rank *r, mrpc_word word, uint64_t value);
bool mrpc_rank_get_word(mrpc_rank *r, uint32_t peer, mrpc_word word, uint64_t *value_out);

/* Half the round trip of a word between ranks 0 and 1, in shared memory. Collective; 0 at
 * other ranks than 0, and where windows are not mapped. */
bool mrpc_rank_measure_word(mrpc_rank *r, double *ns_out);

#endif
