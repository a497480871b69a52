/* Task graphs: the outputs that each task reads, and the order in which a rank runs its tasks.
 *
 * The dependences of a step belong to one of `sets` sets, which take turns: a stencil has
 * one, a butterfly one for each distance. A plan has the tasks of a rank for one set. First
 * come tasks that read outputs of this rank alone, so they run while outputs of other ranks
 * are under way, and among equals those with outputs for other ranks. */
#ifndef TC_METG_GRAPH_H
#define TC_METG_GRAPH_H

#include "metg.h"
#include "metg_kernel.h"

#include <stdbool.h>

#define METG_INPUTS_MAX 3u
#define METG_SETS_MAX 16u
#define METG_OWN_PEER UINT32_MAX /* of an input: an output of this rank */

typedef enum metg_pattern {
    METG_TRIVIAL, /* no dependences */
    METG_STENCIL, /* the point itself and its neighbours */
    METG_FFT,     /* the point itself and those at a distance that doubles at each step */
    METG_PATTERNS
} metg_pattern;

#define METG_PATTERN_NAMES "trivial,stencil,fft"
extern const char *const metg_pattern_names[METG_PATTERNS];

typedef struct metg_graph_params {
    metg_pattern pattern;
    uint32_t ranks;
    uint32_t width; /* a multiple of ranks */
} metg_graph_params;

typedef struct metg_input {
    uint32_t point;
    uint32_t peer;  /* or METG_OWN_PEER */
    uint32_t index; /* of the points of its rank */
} metg_input;

typedef struct metg_task {
    uint32_t own; /* index of this rank's points */
    uint32_t input_count;
    metg_input inputs[METG_INPUTS_MAX];
} metg_task;

/* Another rank with which outputs are exchanged under a set: as many here as there, as the
 * patterns are symmetric, and those of neighbouring points, as they add a distance. */
typedef struct metg_exchange {
    uint32_t peer;
    uint32_t count;
    uint32_t first;      /* index of the first point here that the peer reads an output of */
    uint32_t peer_first; /* and of the first one there that this rank reads */
} metg_exchange;

typedef struct metg_plan {
    metg_task *tasks;
    uint32_t first_remote; /* tasks from here on read outputs of others */
    /* So many tasks have written all outputs that others read under the next set; 0: others
     * read no output then. */
    uint32_t send_after;
    uint32_t exchange_count;
    metg_exchange *exchanges;
} metg_plan;

typedef struct metg_graph {
    metg_graph_params params;
    uint32_t rank;
    uint32_t own; /* points of each rank */
    uint32_t sets;
    metg_plan plans[METG_SETS_MAX];
} metg_graph;

/* False when out of memory. metg_graph_destroy is owed all the same. */
bool metg_graph_create(const metg_graph_params *params, uint32_t rank, metg_graph *graph_out);
void metg_graph_destroy(metg_graph *graph);

uint32_t metg_graph_sets(const metg_graph_params *params);

/* Fills in the points that a task reads outputs of under a set, ascending, and returns their
 * number. */
uint32_t metg_graph_inputs(const metg_graph_params *params, uint32_t set, uint32_t point,
                           uint32_t inputs_out[METG_INPUTS_MAX]);

/* The set of the outputs that a step after the first one reads. The first step takes the plan
 * of the last set, and reads nothing. */
static inline uint32_t metg_graph_set(const metg_graph *graph, uint32_t step)
{
    return (step + graph->sets - 1) % graph->sets;
}

/* Returns how many steps need a box of their own, a power of two. Two ranks exchange outputs at
 * least once in `sets` steps. The sender may be a step beyond the last exchange that it has
 * received, and the receiver one behind that which it has sent; each reads the step before. */
uint32_t metg_graph_slots(const metg_graph_params *params);

/* The sums of the last step's tasks of all points, by one process and without the kernel. False
 * when out of memory. */
bool metg_graph_expect(const metg_graph_params *params, uint64_t seed, uint32_t steps,
                       uint64_t iterations, uint64_t *sums_out);

/* --- sums: the same for a task that runs and for one that is expected -------------------- */

static inline uint64_t metg_sum_begin(uint64_t seed, uint32_t step, uint32_t point)
{
    return (seed ^ ((uint64_t)step << 32 | point)) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t metg_sum_add(uint64_t sum, uint64_t input)
{
    sum = (sum ^ input) * 0xd6e8feb86659fd93u;
    return sum ^ sum >> 32;
}

/* The kernel's first number. */
static inline uint64_t metg_sum_start(uint64_t sum)
{
    return sum >> 48;
}

/* A word behind the beginning of a longer output. */
static inline uint64_t metg_sum_word(uint64_t sum, uint64_t word)
{
    return sum + word;
}

#endif
