/* Types that the functions of the task graphs share with the ranks at which they run.
 *
 * A task graph has `width` points and a number of steps; at each step there is one task
 * for each point, which reads outputs of the step before and writes one of its own. The
 * points are spread over the ranks in blocks. Outputs that tasks of other ranks read travel
 * to the inbox of that rank. An output has the id of its task, so it travels alone. */
#ifndef TC_METG_H
#define TC_METG_H

#include <stdint.h>
#include <tc/entry.h>
#include <tc/window.h>

#define METG_RANKS_MAX 16u

/* The beginning of a task's output. Longer outputs go on with words that follow from the
 * sum. */
typedef struct metg_output {
    uint64_t id;  /* of the task: metg_id, never 0 */
    uint64_t sum; /* over its inputs, the inputs of those, and so on, and all their kernels */
} metg_output;

/* Outputs of the last steps of each rank: a box has those of a step and a rank, each at the
 * index of its point there. */
typedef struct metg_inbox {
    unsigned char *memory;
    uint64_t box_bytes;    /* from one box to the next, a multiple of 64 */
    uint64_t output_bytes; /* a multiple of 8, at least sizeof(metg_output) */
    uint32_t own;          /* points of each rank */
    uint32_t ranks;
    uint32_t last_slot; /* steps that have a box, minus 1; a power of two minus 1 */
} metg_inbox;

/* The target's arguments of each function. */
typedef struct metg_share {
    metg_inbox inbox;
    tc_gptr window; /* in which the inbox is */
} metg_share;

static inline uint64_t metg_id(uint32_t step, uint32_t point)
{
    return ((uint64_t)step + 1) << 32 | point;
}

static inline uint32_t metg_id_step(uint64_t id)
{
    return (uint32_t)(id >> 32) - 1;
}

static inline uint64_t metg_box_offset(const metg_inbox *inbox, uint32_t peer, uint32_t step)
{
    return ((uint64_t)(step & inbox->last_slot) * inbox->ranks + peer) * inbox->box_bytes;
}

/* The output of the peer's point of an index. */
static inline metg_output *metg_inbox_output(const metg_inbox *inbox, uint32_t peer,
                                             uint32_t step, uint32_t index)
{
    return (metg_output *)(void *)(inbox->memory + metg_box_offset(inbox, peer, step) +
                                   index * inbox->output_bytes);
}

#endif
