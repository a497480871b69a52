/* Cases: each is a way to run one of the operations, with numbers. Ways of one part take turns
 * in each round. */
#ifndef TC_GAM_CASE_H
#define TC_GAM_CASE_H

#include <stdbool.h>
#include <stdint.h>

#define GAM_CASES_MAX 256u
#define GAM_ROUNDS_MAX 200u
#define GAM_ORIGINS_MAX 7u
#define GAM_SLOTS_AT_ONCE 64u   /* inputs and outputs of a rank; calls and messages at once */
#define GAM_SEGMENTS 100u       /* of an active message, as in the paper */
#define GAM_VALUES 100u         /* of a segment of sums */
#define GAM_WARMUP 20u          /* messages of each case before its clock runs */
#define GAM_CREDIT_BYTES 65536u /* the library's own default */
#define GAM_PART_NAMES "single,hundred,rate,units,credit,ordering,origins"

typedef struct gam_rank gam_rank;
typedef struct gam_case gam_case;

/* Runs at the ranks of MPI's jobs, or of all. */
typedef enum gam_kind {
    GAM_ACTIVE,  /* by <tc/am.h> */
    GAM_LIBRARY, /* by calls and windows of the library */
    GAM_MPI,
    GAM_LOCAL /* in one process, without messages */
} gam_kind;

typedef struct gam_way {
    const char *name;
    gam_kind kind;
    bool (*origin)(gam_rank *r, const gam_case *c);
    bool (*target)(gam_rank *r, const gam_case *c); /* NULL: it waits in a barrier */
    const char *operations;                         /* comma list of those that it can */
} gam_way;

/* The operations. An accumulation is a sum without output. */
typedef enum gam_operation { GAM_SEARCH, GAM_SUM, GAM_ACCUMULATE } gam_operation;
#define GAM_OPERATIONS 3u

struct gam_case {
    const char *part;
    const gam_way *way;
    gam_operation operation;
    uint32_t values;   /* of a segment of sums */
    uint32_t segments; /* of each active message */
    uint32_t unit;
    uint32_t messages;  /* active messages of each origin */
    uint32_t at_once;   /* under way at once, of those that are not awaited; 0: any number */
    bool is_awaited;    /* each before the next one starts */
    bool alternates;    /* every other one has a single segment */
    uint32_t credit;    /* bytes; 0: the library's default */
    uint32_t unordered; /* TC_AM_UNORDERED_ bits */
    uint32_t origins;
    uint32_t x; /* of a figure: unit, credit, messages or origins */
    /* Figures: the time of all messages, at the first origin or until all have ended. */
    double ns[GAM_ROUNDS_MAX];
    uint64_t units_sent, waited;
    bool is_wrong;
};

/* The parts of a run, and its sizes. */
typedef struct gam_options {
    const char *parts; /* comma list of GAM_PART_NAMES */
    const char *ways;  /* comma list; NULL: all */
    uint64_t messages; /* of an epoch of many */
    uint64_t awaited;  /* active messages of which each is awaited */
    uint64_t rounds;
    uint64_t origins; /* at most; ranks - 1 are there */
    const char *json_path;
    bool unpinned;
    bool quiet; /* no table */
} gam_options;

typedef struct gam_plan {
    gam_case cases[GAM_CASES_MAX];
    unsigned count;
} gam_plan;

extern const char *const gam_operation_names[GAM_OPERATIONS];

/* All cases of the options; `origins` ranks ask. mpi: ways of MPI, NULL at the end; or NULL. */
void gam_plan_make(gam_plan *plan, const gam_options *options, uint32_t origins,
                   const gam_way *const *mpi);

static inline uint32_t gam_case_in(const gam_case *c)
{
    return c->operation == GAM_SEARCH ? 20u : c->values * 4u;
}

static inline uint32_t gam_case_out(const gam_case *c)
{
    return c->operation == GAM_ACCUMULATE ? 0 : gam_case_in(c);
}

/* Segments of the n-th message of an origin. */
static inline uint32_t gam_case_segments(const gam_case *c, uint32_t n)
{
    return c->alternates && n % 2 == 1 ? 1 : c->segments;
}

#endif
