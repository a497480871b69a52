/* The steps of a run, which every version has in common: the same loop, inlined into each, with
 * its own way to move outputs. */
#ifndef TC_METG_STEPS_H
#define TC_METG_STEPS_H

#include "metg_version.h"

#define METG_TURNS_BEFORE_YIELD 4096u

/* Each returns false after a line on stderr. */
typedef struct metg_moves {
    /* Before the tasks of a step that is not the first: its inputs are those of `plan`. */
    bool (*begin)(metg_rank *r, const metg_plan *plan, uint32_t step);
    /* Before the last task that reads outputs of this rank alone, if tasks of the step read
     * others, too: a first look for those, so that they travel from the other processor's cache
     * while that task runs. */
    bool (*look)(metg_rank *r, const metg_plan *plan, uint32_t step);
    /* Before the first task of the step that reads outputs of other ranks. */
    bool (*await)(metg_rank *r, const metg_plan *plan, uint32_t step);
    /* All outputs of the step that other ranks read under the plan of the next one are
     * written. */
    bool (*send)(metg_rank *r, const metg_plan *next, uint32_t step);
} metg_moves;

static inline const metg_output *metg_steps_input(const metg_rank *r, const metg_input *input,
                                                  uint32_t step)
{
    return input->peer == METG_OWN_PEER
               ? metg_rank_output(r, step - 1, input->index)
               : metg_inbox_output(&r->share.inbox, input->peer, step - 1, input->index);
}

/* Returns whether all outputs of a step that this rank reads of a peer are in the inbox. */
static inline bool metg_steps_have_come(const metg_rank *r, const metg_exchange *with,
                                        uint32_t step)
{
    const uint32_t point = with->peer * r->graph->own + with->peer_first;
    for (uint32_t i = 0; i < with->count; i++) {
        const metg_output *output =
            metg_inbox_output(&r->share.inbox, with->peer, step, with->peer_first + i);
        if (__atomic_load_n(&output->id, __ATOMIC_ACQUIRE) != metg_id(step, point + i))
            return false;
    }
    return true;
}

/* Calls `poll` until they are there. */
static inline bool metg_steps_await(metg_rank *r, const metg_plan *plan, uint32_t step,
                                    void (*poll)(metg_rank *r, uint64_t turn))
{
    for (uint32_t i = 0; i < plan->exchange_count; i++) {
        const metg_exchange *with = &plan->exchanges[i];
        uint64_t end_ns = 0;
        for (uint64_t turn = 1; !metg_steps_have_come(r, with, step - 1); turn++) {
            poll(r, turn);
            if (turn % METG_TURNS_BEFORE_YIELD == 0 && !metg_rank_rest(&end_ns, with->peer))
                return false;
        }
    }
    return true;
}

static inline bool metg_steps_words_are_wrong(const metg_output *output, uint64_t bytes)
{
    const uint64_t *words = (const uint64_t *)(const void *)output;
    bool is_wrong = false;
    for (uint64_t i = sizeof *output / sizeof *words; i < bytes / sizeof *words; i++)
        is_wrong |= words[i] != metg_sum_word(output->sum, i);
    return is_wrong;
}

static inline void metg_steps_fill_words(metg_output *output, uint64_t bytes)
{
    uint64_t *words = (uint64_t *)(void *)output;
    for (uint64_t i = sizeof *output / sizeof *words; i < bytes / sizeof *words; i++)
        words[i] = metg_sum_word(output->sum, i);
}

/* Checks that each input is the output of the task that it should be of. */
static inline void metg_steps_run_task(metg_rank *r, const metg_task *task, uint32_t step,
                                       uint32_t input_count)
{
    const uint32_t point = r->rank * r->graph->own + task->own;
    metg_output *output = metg_rank_output(r, step, task->own);
    uint64_t sum = metg_sum_begin(r->seed, step, point);
    bool is_wrong = false;
    for (uint32_t i = 0; i < input_count; i++) {
        const metg_output *input = metg_steps_input(r, &task->inputs[i], step);
        is_wrong |= input->id != metg_id(step - 1, task->inputs[i].point) ||
                    metg_steps_words_are_wrong(input, r->params.output_bytes);
        sum = metg_sum_add(sum, input->sum);
    }
    if (r->iterations > 0)
        sum += metg_kernel(metg_sum_start(sum), r->iterations);
    *output = (metg_output){metg_id(step, point), sum};
    metg_steps_fill_words(output, r->params.output_bytes);
    r->is_wrong |= is_wrong;
}

__attribute__((always_inline)) static inline bool metg_steps_run(metg_rank *r,
                                                                 const metg_moves *moves)
{
    const metg_graph *g = r->graph;
    const metg_plan *plan = &g->plans[metg_graph_set(g, 0)];
    for (uint32_t step = 0; step < r->steps; step++) {
        const metg_plan *next = &g->plans[metg_graph_set(g, step + 1)];
        if (step > 0 && !moves->begin(r, plan, step))
            return false;
        for (uint32_t i = 0; i < g->own; i++) {
            const metg_task *task = &plan->tasks[i];
            if (i + 1 == plan->first_remote && plan->exchange_count > 0 && step > 0 &&
                !moves->look(r, plan, step))
                return false;
            if (i == plan->first_remote && step > 0 && !moves->await(r, plan, step))
                return false;
            metg_steps_run_task(r, task, step, step > 0 ? task->input_count : 0);
            if (i + 1 == plan->send_after && step + 1 < r->steps && !moves->send(r, next, step))
                return false;
        }
        plan = next;
    }
    return true;
}

#endif
