/* Draws steps, and does them to the model's data. */
#include "pane_steps.h"

#include <string.h>

#define MARK 0x5a /* of results that were not written */

/* --- the model ---------------------------------------------------------------------------- */

/* Returns the value before. */
static uint64_t do_atomic(const tc_window_step *step, uint8_t *word, bool *succeeded)
{
    uint64_t before, compared = UINT64_MAX, replaced = UINT64_MAX;
    memcpy(&before, word, sizeof before);
    uint64_t after = before + step->operand;
    if (step->operation == TC_WINDOW_MASKED_COMPARE_SWAP) {
        compared = step->expected_mask;
        replaced = step->operand_mask;
    }
    if (step->operation != TC_WINDOW_FETCH_ADD) {
        *succeeded = (before & compared) == (step->expected & compared);
        after = *succeeded ? (before & ~replaced) | (step->operand & replaced) : before;
    }
    memcpy(word, &after, sizeof after);
    return before;
}

/* Does a step to the model's data. Returns false if its bytes are outside. */
static bool do_step(uint8_t *data, uint64_t size, pane_chain *c, unsigned at, uint64_t *values,
                    bool *succeeded)
{
    const tc_window_step *step = &c->steps[at];
    const uint64_t offset = step->at.offset + (step->base > 0 ? values[step->base - 1] : 0);
    if (offset < step->at.offset || offset > size || step->size > size - offset)
        return false;
    uint8_t *bytes = data + offset;
    uint64_t before;
    *succeeded = true;
    if (step->operation == TC_WINDOW_PUT) {
        memcpy(bytes, step->source, step->size);
        return true;
    }
    memcpy(&before, bytes, step->size < 8 ? step->size : 8);
    if (step->operation != TC_WINDOW_GET && offset % 8 != 0)
        return false;
    if (step->result != NULL)
        memcpy(c->expected + ((uint8_t *)step->result - c->bytes), bytes, step->size);
    if (step->operation != TC_WINDOW_GET)
        before = do_atomic(step, bytes, succeeded);
    values[at] = before;
    return true;
}

static bool is_due(const tc_window_step *step, bool succeeded_before)
{
    return step->condition == TC_WINDOW_ALWAYS ||
           (step->condition == TC_WINDOW_IF_SUCCEEDED) == succeeded_before;
}

void pane_steps_do(pane_chain *c, uint8_t *data, uint64_t size)
{
    uint64_t values[PANE_STEPS_MAX] = {0};
    uint32_t done = 3;
    bool succeeded = true;
    c->status = TC_OK;
    c->succeeded = 3;
    for (unsigned i = PANE_LOG_STEPS; i < c->count; i++) {
        const tc_window_step *step = &c->steps[i];
        const bool due = is_due(step, succeeded);
        succeeded = false;
        if (!due)
            continue;
        if ((step->base > 0 && (done >> (step->base - 1) & 1) == 0) ||
            !do_step(data, size, c, i, values, &succeeded)) {
            c->status = TC_E_INVALID;
            return;
        }
        done |= 1u << i;
        c->succeeded |= (uint32_t)succeeded << i;
    }
}

/* --- drawing ------------------------------------------------------------------------------ */

static uint64_t below(const pane_source *s, uint64_t limit)
{
    return s->random(s->user) % limit;
}

/* Takes bytes of the chain's buffer. Returns NULL if there are too few. */
static uint8_t *take(pane_chain *c, uint64_t size)
{
    const uint64_t at = (c->used + 7) & ~(uint64_t)7;
    if (size > sizeof c->bytes - at)
        return NULL;
    c->used = at + size;
    return c->bytes + at;
}

/* An offset of a few words at the beginning, where chains meet, or of any. */
static uint64_t draw_offset(const pane_source *s, const pane *p, uint64_t size)
{
    const uint64_t words = below(s, 2) == 0 ? 4 : p->bytes / 8;
    const uint64_t offset = 8 * below(s, words);
    return offset + size <= p->bytes ? offset : 0;
}

/* A put of 8 bytes puts an offset, for steps that take one; most of them are inside. */
static tc_window_step draw_put(const pane_source *s, const pane *p, pane_chain *c)
{
    uint64_t size = below(s, 2) == 0 ? 8 : 1 + below(s, p->bytes);
    uint8_t *bytes = take(c, size);
    if (bytes == NULL)
        return tc_window_step_put(p->data, NULL, 0);
    const uint64_t offset = below(s, 16) == 0 ? p->bytes : draw_offset(s, p, 8);
    memset(bytes, (int)below(s, 256), size);
    if (size == 8)
        memcpy(bytes, &offset, sizeof offset);
    return tc_window_step_put(tc_gptr_add(p->data, draw_offset(s, p, size)), bytes, size);
}

static tc_window_step draw_atomic(const pane_source *s, const pane *p)
{
    const tc_gptr at = tc_gptr_add(p->data, draw_offset(s, p, 8));
    const uint64_t one = below(s, 4), other = below(s, 4);
    const uint64_t operation = below(s, 4);
    if (operation > 1)
        return tc_window_step_fetch_add(at, 8 * one, NULL);
    if (operation == 0)
        return tc_window_step_compare_swap(at, 8 * one, 8 * other, NULL);
    const uint64_t compared = below(s, 16), replaced = below(s, 256); /* in one order */
    return tc_window_step_masked_compare_swap(at, one, compared, other, replaced, NULL);
}

static tc_window_step draw_get(const pane_source *s, const pane *p)
{
    const uint64_t size = below(s, 2) == 0 ? 8 : 1 + below(s, p->bytes);
    return tc_window_step_get(tc_gptr_add(p->data, draw_offset(s, p, size)), NULL, size);
}

/* Makes a step depend on earlier ones: by its offset, and by a condition. */
static void draw_dependence(const pane_source *s, pane_chain *c, tc_window_step *step)
{
    const unsigned last = c->count; /* the number of the step before, from 1 on */
    const tc_window_step *before = &c->steps[last - 1];
    if (last > PANE_LOG_STEPS && below(s, 3) == 0)
        step->condition = 1 + (uint32_t)below(s, 2);
    if (last > PANE_LOG_STEPS && below(s, 3) == 0 && before->operation != TC_WINDOW_PUT &&
        before->size == 8) {
        step->base = last;
        step->at.offset = 8 * below(s, 2);
    }
}

static void spoil(const pane_source *s, const pane *p, pane_chain *c, tc_window_step *step)
{
    if (step->base != 0)
        return;
    const uint64_t outside[] = {p->bytes - step->size + 1, p->bytes, UINT64_MAX,
                                UINT64_MAX - step->size + 1};
    step->at.offset = outside[below(s, 4)];
    c->is_bad = true;
}

static void add_step(const pane_source *s, const pane *p, pane_chain *c)
{
    const uint32_t rights[] = {TC_WINDOW_READ, TC_WINDOW_WRITE, TC_WINDOW_ATOMIC};
    uint64_t kind = below(s, 3);
    if ((p->rights & rights[kind]) == 0 && below(s, 16) != 0) /* one that it may do */
        kind = 0;
    tc_window_step step = kind == 0   ? draw_get(s, p)
                          : kind == 1 ? draw_put(s, p, c)
                                      : draw_atomic(s, p);
    if (step.size == 0)
        return;
    draw_dependence(s, c, &step);
    if (below(s, 32) == 0)
        spoil(s, p, c, &step);
    c->steps[c->count++] = step;
}

/* Behind the bytes of puts. Some results are not wanted. */
static void take_results(const pane_source *s, pane_chain *c)
{
    c->results = c->used;
    for (unsigned i = PANE_LOG_STEPS; i < c->count; i++) {
        tc_window_step *step = &c->steps[i];
        if (step->operation != TC_WINDOW_PUT && below(s, 8) != 0)
            step->result = take(c, step->size);
    }
    memset(c->bytes + c->results, MARK, c->used - c->results);
    memcpy(c->expected, c->bytes, c->used);
}

void pane_steps_draw(pane_chain *c, const pane *p, const pane_source *s)
{
    c->steps[0] = tc_window_step_allocate(p->log, 8 + below(s, 8), NULL);
    c->steps[1] = tc_window_step_put(p->log, &c->number, sizeof c->number);
    c->steps[1].base = 1;
    c->count = PANE_LOG_STEPS;
    for (uint64_t left = 1 + below(s, PANE_STEPS_MAX - PANE_LOG_STEPS); left > 0; left--)
        add_step(s, p, c);
    take_results(s, c);
}

bool pane_steps_have_results(const pane_chain *c)
{
    for (size_t i = c->results; i < c->used; i++) {
        if (c->bytes[i] != MARK)
            return true;
    }
    return false;
}
