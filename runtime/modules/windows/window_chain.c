/* A chain runs in two passes. The first checks all that depends on no result: windows, rights,
 * alignment, offsets. The second does the steps, and checks the offsets that are results. A
 * failure of the first has changed nothing; one of the second leaves the steps before it done.
 * No step waits or jumps, so a chain ends, and nothing else runs meanwhile. */
#include "modules/windows/window_chain.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "modules/windows/window_words.h"

#include <inttypes.h>

/* Allocations begin at multiples of it. */
#define ALIGNMENT 16u

/* A chain that runs. Only the windows of its steps are set, and the values of steps that are
 * done: to clear all would take longer than most chains. */
typedef struct chain {
    const tci_window_request *request;
    tci_window *windows[TC_WINDOW_STEPS_MAX]; /* of each step */
    uint64_t values[TC_WINDOW_STEPS_MAX];     /* results of 8 bytes, for later steps */
    tci_window_answer answer;
    uint8_t *results;
    size_t at; /* bytes of results so far */
} chain;

/* By operation, which tci_window_request_check has checked. */
static const uint8_t rights[] = {[TC_WINDOW_GET] = TC_WINDOW_READ,
                                 [TC_WINDOW_PUT] = TC_WINDOW_WRITE,
                                 [TC_WINDOW_FETCH_ADD] = TC_WINDOW_ATOMIC,
                                 [TC_WINDOW_COMPARE_SWAP] = TC_WINDOW_ATOMIC,
                                 [TC_WINDOW_MASKED_COMPARE_SWAP] = TC_WINDOW_ATOMIC,
                                 [TC_WINDOW_ALLOCATE_BYTES] = TC_WINDOW_ALLOCATE,
                                 [TC_WINDOW_DESCRIBE] = TCI_WINDOW_RIGHTS /* any */};

static uint32_t right_of(const tci_window_step *step)
{
    return rights[step->operation];
}

/* --- checks ------------------------------------------------------------------------------- */

/* Checks the bytes that a step is about: `offset` is its own, or has a result added. */
static tc_status check_bytes(const tci_window_step *step, const tci_window *window,
                             uint64_t offset, tc_error *err)
{
    if (!tci_window_holds(window, offset, step->size))
        return tci_error_set(err, TC_E_INVALID,
                             "%" PRIu64 " bytes at offset %" PRIu64
                             ", expected them within the %" PRIu64 " of window %u",
                             step->size, offset, window->bytes, step->window);
    if (right_of(step) == TC_WINDOW_ATOMIC && offset % TCI_WINDOW_VALUE_BYTES != 0)
        return tci_error_set(
            err, TC_E_INVALID,
            "an atomic operation at offset %" PRIu64 ", expected a multiple of 8", offset);
    return TC_OK;
}

static tc_status check_step(chain *c, const tci_windows *windows, const tc_ep *peer,
                            unsigned at, tc_error *err)
{
    const tci_window_step *step = &c->request->steps[at];
    TC_TRY(tci_windows_find(windows, peer, step->window, step->generation, right_of(step),
                            &c->windows[at], err));
    if (step->operation == TC_WINDOW_DESCRIBE && c->windows[at]->shared.base == NULL)
        return tci_error_set(err, TC_E_INVALID,
                             "window %u has memory of its owner's own, expected one that was "
                             "opened as shared",
                             step->window);
    if (step->base != 0 || !tci_window_step_has_offset(step))
        return TC_OK;
    return check_bytes(step, c->windows[at], step->offset, err);
}

/* Computes and checks the offset of a step that is about to be done. */
static tc_status resolve(const chain *c, unsigned at, uint64_t *offset_out, tc_error *err)
{
    const tci_window_step *step = &c->request->steps[at];
    *offset_out = step->offset;
    if (step->base == 0)
        return TC_OK;
    if ((c->answer.done >> (step->base - 1) & 1) == 0)
        return tci_error_set(err, TC_E_INVALID,
                             "takes its offset from step %u, which was not done", step->base);
    const uint64_t value = c->values[step->base - 1];
    if (value > UINT64_MAX - step->offset)
        return tci_error_set(err, TC_E_INVALID,
                             "offset %" PRIu64 " of step %u and %" PRIu64
                             " more, expected a sum of 64 bits",
                             value, step->base, step->offset);
    *offset_out = value + step->offset;
    return check_bytes(step, c->windows[at], *offset_out, err);
}

/* --- steps -------------------------------------------------------------------------------- */

static void add_value(chain *c, unsigned at, uint64_t value)
{
    c->values[at] = value;
    memcpy(c->results + c->at, &value, sizeof value);
    c->at += sizeof value;
}

static void get(chain *c, unsigned at, const uint8_t *memory, size_t size)
{
    uint64_t value;
    if (size == sizeof value) {
        tci_window_copy_out((uint8_t *)&value, memory, sizeof value);
        add_value(c, at, value);
        return;
    }
    tci_window_copy_out(c->results + c->at, memory, size);
    c->at += size;
}

static bool do_atomic(chain *c, unsigned at, uint64_t *word)
{
    const tci_window_step *step = &c->request->steps[at];
    uint64_t before;
    bool succeeded = true;
    if (step->operation == TC_WINDOW_FETCH_ADD)
        before = tci_window_word_add(word, step->words[0]);
    else if (step->operation == TC_WINDOW_COMPARE_SWAP)
        succeeded = tci_window_word_swap(word, step->words, UINT64_MAX, UINT64_MAX, &before);
    else
        succeeded =
            tci_window_word_swap(word, step->words, step->words[2], step->words[3], &before);
    add_value(c, at, before);
    return succeeded;
}

/* Allocates multiples of 16 bytes, so that all allocations begin at such. */
static tc_status allocate(chain *c, unsigned at, tc_error *err)
{
    const tci_window_step *step = &c->request->steps[at];
    tci_window *window = c->windows[at];
    TCI_INVARIANT_IS(window_arena, window->arena_next, <=, window->bytes);
    const uint64_t last = window->arena_next + (ALIGNMENT - 1);
    const uint64_t first = last - last % ALIGNMENT;
    if (!tci_window_holds(window, first, step->size))
        return tci_error_set(err, TC_E_NO_MEMORY,
                             "%" PRIu64 " bytes to allocate in window %u, which has %" PRIu64
                             " of %" PRIu64 " left",
                             step->size, step->window, window->bytes - window->arena_next,
                             window->bytes);
    window->arena_next = first + step->size;
    add_value(c, at, first);
    return TC_OK;
}

static void describe(chain *c, unsigned at)
{
    const tci_window *window = c->windows[at];
    tci_window_share_encode(&window->shared, window->rights, window->bytes, c->results + c->at);
    c->at += TCI_WINDOW_SHARE_BYTES;
}

static tc_status do_step(chain *c, unsigned at, bool *succeeded_out, tc_error *err)
{
    const tci_window_step *step = &c->request->steps[at];
    uint64_t offset;
    *succeeded_out = true;
    if (step->operation == TC_WINDOW_ALLOCATE_BYTES)
        return allocate(c, at, err);
    if (step->operation == TC_WINDOW_DESCRIBE) {
        describe(c, at);
        return TC_OK;
    }
    TC_TRY(resolve(c, at, &offset, err));
    uint8_t *memory = c->windows[at]->memory + offset;
    if (step->operation == TC_WINDOW_GET)
        get(c, at, memory, (size_t)step->size);
    else if (step->operation == TC_WINDOW_PUT)
        tci_window_copy_in(memory, step->data, (size_t)step->size);
    else
        *succeeded_out = do_atomic(c, at, (uint64_t *)(void *)memory);
    return TC_OK;
}

static void leave_out(chain *c, const tci_window_step *step)
{
    const size_t bytes = (size_t)tci_window_step_result(step);
    memset(c->results + c->at, 0, bytes);
    c->at += bytes;
}

static tc_status run(chain *c, unsigned *at, tc_error *err)
{
    bool succeeded = false;
    for (*at = 0; *at < c->request->count; ++*at) {
        const tci_window_step *step = &c->request->steps[*at];
        const bool due = tci_window_step_is_due(step, succeeded);
        succeeded = false;
        if (!due) {
            leave_out(c, step);
            continue;
        }
        TC_TRY(do_step(c, *at, &succeeded, err));
        c->answer.done |= (uint16_t)(1u << *at);
        c->answer.succeeded |= (uint16_t)((unsigned)succeeded << *at);
    }
    return TC_OK;
}

tc_status tci_window_chain_run(const tci_windows *windows, const tc_ep *peer,
                               const tci_window_request *request, uint8_t *buffer,
                               const uint8_t **answer_out, tc_error *err)
{
    chain c;
    c.request = request;
    c.answer = (tci_window_answer){0};
    c.results = buffer + TCI_WINDOW_ANSWER_BYTES;
    c.at = 0;
    tc_status status = TC_OK;
    unsigned at = 0;
    for (; at < request->count && status == TC_OK; at++)
        status = check_step(&c, windows, peer, at, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "step %u", at);
        return status;
    }
    status = run(&c, &at, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "step %u", at + 1);
        return status;
    }
    TCI_INVARIANT_IS(window_results, c.at, ==, request->result_bytes);
    *answer_out = c.results;
    if (c.answer.succeeded != tci_window_request_all(request)) {
        tci_window_answer_encode(&c.answer, buffer);
        *answer_out = buffer;
    }
    return TC_OK;
}
