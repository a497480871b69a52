/* A rank: rank 0 has the table and the sums, all others ask. */
#ifndef TC_GAM_RANK_H
#define TC_GAM_RANK_H

#include "gam_case.h"
#include "gam_work.h"

#include <tc/am.h>
#include <tc/tc.h>
#include <tc/window_view.h>

#define GAM_TIMEOUT_NS TC_SECONDS(60)

/* Sums of each origin, behind a word that locks all of them and one that counts the ranks
 * with a wrong value. */
#define GAM_WRONG_AT 8u
#define GAM_MAPPED_AT 16u /* 1: rank 1 has mapped the memory */
#define GAM_PING_AT 64u   /* words of gam_rank_measure_word, each in a cache line */
#define GAM_PONG_AT 128u
#define GAM_STAMPS_AT 192u /* of each rank: when its part of a case has begun and ended */
#define GAM_SUMS_AT 320u
#define GAM_SUMS_OF_ORIGIN (GAM_SEGMENTS * GAM_VALUES)
#define GAM_SUMS_BYTES (GAM_SUMS_AT + sizeof(int32_t) * GAM_SUMS_OF_ORIGIN * GAM_ORIGINS_MAX)

/* A message of an origin: the head of a call, its input, and where its output goes. */
typedef struct gam_slot {
    gam_call *call;
    void *input; /* behind the head */
    void *output;
} gam_slot;

struct gam_rank {
    tc_context *ctx;
    tc_group *group;
    uint32_t rank, ranks;
    gam_table table; /* of the strings, at every rank */
    /* active messages, opened again when credit or order change */
    tc_ams *ams;
    uint32_t credit, unordered;
    tc_am_window *windows[2];          /* of the table; of the sums */
    tc_am_op *ops[GAM_OPERATIONS + 1]; /* by operation; then the atomic sum */
    /* the same memory for calls and windows: of rank 0 */
    tc_gptr pointers[2];
    const tc_window_view *views[2]; /* or NULL */
    gam_share share;
    tc_ifunc *function;
    tc_ep *ep; /* to rank 0 */
    gam_slot slots[GAM_SLOTS_AT_ONCE];
    uint32_t ended;   /* calls of an epoch */
    tc_status failed; /* of one of them */
    bool is_warming_up;
    uint64_t began_ns, ended_ns; /* of this origin's part of a case */
};

bool gam_rank_check(tc_status status, const tc_error *err, const char *what);
bool gam_rank_complain(const char *text);
bool gam_rank_barrier(const gam_rank *r);

/* gam_rank_destroy is owed in any case. */
bool gam_rank_create(tc_context *ctx, tc_group *group, gam_rank *r);
void gam_rank_destroy(gam_rank *r);

/* Opens active messages for a case, if they are open with other parameters. Collective. */
bool gam_rank_open(gam_rank *r, const gam_case *c);

/* Before a case: sums are 0, inputs are those of the operation, outputs are cleared. */
void gam_rank_begin(gam_rank *r, const gam_case *c);
/* After it: outputs of this origin, or rank 0's sums, are those that they have to be. */
bool gam_rank_is_right(const gam_rank *r, const gam_case *c);

/* States that this rank has a wrong value. */
bool gam_rank_note_wrong(gam_rank *r);
/* Counts the ranks that have stated it in this case. Not for rank 0. */
bool gam_rank_wrong(gam_rank *r, uint64_t *count_out);

/* Gives rank 0 this origin's began_ns and ended_ns. */
bool gam_rank_put_stamps(gam_rank *r);
/* The time from the first begin to the last end of so many origins, at rank 1, after a barrier
 * behind their stamps. */
bool gam_rank_elapsed(gam_rank *r, uint32_t origins, double *ns_out);

/* Half the round trip of a word between ranks 0 and 1, at rank 1. 0: memory cannot be
 * shared. */
bool gam_rank_measure_word(gam_rank *r, double *ns_out);

/* The k-th value of an origin's segments. */
static inline int32_t gam_rank_value(uint32_t k)
{
    const int32_t value = (int32_t)(k * 7u % 101u) + 1;
    return k % 2 == 0 ? value : -value;
}

static inline const gam_slot *gam_rank_slot(const gam_rank *r, uint32_t n)
{
    return &r->slots[n % GAM_SLOTS_AT_ONCE];
}

#endif
