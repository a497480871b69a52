/* The ways of this library: active messages, calls of a function with the same bytes, and
 * windows that are locked, read, computed on and written, by operations or as mapped memory. */
#include "gam_ways.h"

#include "gam_compute.h"
#include "gam_rank.h"

#include <sched.h>
#include <stdio.h>

#define TABLE 0u
#define SUMS 1u
#define BOTH "search,sum"
#define ALL "search,sum,accumulate"

static uint64_t sums_at(const gam_rank *r)
{
    return GAM_SUMS_AT + sizeof(int32_t) * GAM_SUMS_OF_ORIGIN * (r->rank - 1);
}

/* --- active messages --------------------------------------------------------------------- */

/* Those that all messages have. */
static tc_am_params params_of(const gam_rank *r, const gam_case *c)
{
    return (tc_am_params){.input_layout = {.bytes = gam_case_in(c)},
                          .output_layout = {.bytes = gam_case_out(c)},
                          .unit = c->unit,
                          .at = c->operation == GAM_SEARCH ? 0 : sums_at(r),
                          .bytes = c->operation == GAM_SEARCH ? sizeof(gam_table) : 0};
}

static void set_message(tc_am_params *params, const gam_rank *r, const gam_case *c, uint32_t n)
{
    const gam_slot *slot = gam_rank_slot(r, n);
    params->input = slot->input;
    params->output = slot->output;
    params->segments = gam_case_segments(c, n);
    if (c->operation != GAM_SEARCH)
        params->bytes = (uint64_t)params->segments * params->input_layout.bytes;
}

static tc_am_window *window_of(const gam_rank *r, const gam_case *c)
{
    return r->windows[c->operation == GAM_SEARCH ? TABLE : SUMS];
}

static void note_outcome(void *user, const tc_am_outcome *outcome)
{
    gam_rank *r = user;
    r->ended++;
    if (outcome->status != TC_OK)
        r->failed = outcome->status;
}

static bool start(gam_rank *r, tc_am_window *window, tc_am_op *op, const tc_am_params *params)
{
    tc_error err = {TC_OK, ""};
    tc_status status;
    while ((status = tc_am_start(window, 0, op, params, NULL, &err)) == TC_E_AGAIN)
        (void)tc_progress(r->ctx);
    return gam_rank_check(status, &err, "active message");
}

static bool wait_for_each(gam_rank *r, const gam_case *c, tc_am_op *op)
{
    tc_am_params params = params_of(r, c);
    tc_error err = {TC_OK, ""};
    for (uint32_t n = 0; n < c->messages; n++) {
        set_message(&params, r, c, n);
        if (!gam_rank_check(tc_am(window_of(r, c), 0, op, &params, &err), &err,
                            "active message"))
            return false;
    }
    return true;
}

/* All at once, as in the paper's epochs. */
static bool start_all(gam_rank *r, const gam_case *c, tc_am_op *op)
{
    tc_am_params params = params_of(r, c);
    tc_error err = {TC_OK, ""};
    for (uint32_t n = 0; n < c->messages; n++) {
        set_message(&params, r, c, n);
        if (!start(r, window_of(r, c), op, &params))
            return false;
    }
    return gam_rank_check(tc_am_flush(window_of(r, c), 0, GAM_TIMEOUT_NS, &err), &err, "flush");
}

static bool start_some(gam_rank *r, const gam_case *c, tc_am_op *op)
{
    tc_am_params params = params_of(r, c);
    params.done = note_outcome;
    params.user = r;
    for (uint32_t n = 0; n < c->messages; n++) {
        set_message(&params, r, c, n);
        while (n - r->ended >= c->at_once)
            (void)tc_progress(r->ctx);
        if (!start(r, window_of(r, c), op, &params))
            return false;
    }
    while (r->ended < c->messages)
        (void)tc_progress(r->ctx);
    return r->failed == TC_OK || gam_rank_complain("an active message failed");
}

static bool run_active_by(gam_rank *r, const gam_case *c, tc_am_op *op)
{
    return c->is_awaited    ? wait_for_each(r, c, op)
           : c->at_once > 0 ? start_some(r, c, op)
                            : start_all(r, c, op);
}

static bool run_epoch(gam_rank *r, const gam_case *c)
{
    return start_all(r, c, r->ops[c->operation]);
}

static bool run_active(gam_rank *r, const gam_case *c)
{
    return run_active_by(r, c, r->ops[c->operation]);
}

static bool run_concurrent_by(gam_rank *r, const gam_case *c, tc_am_op *op)
{
    tc_am_window_set_concurrent(window_of(r, c), 1);
    const bool ok = run_active_by(r, c, op);
    tc_am_window_set_concurrent(window_of(r, c), 0);
    return ok;
}

static bool run_concurrent(gam_rank *r, const gam_case *c)
{
    return run_concurrent_by(r, c, r->ops[c->operation]);
}

static bool run_atomic(gam_rank *r, const gam_case *c)
{
    return run_concurrent_by(r, c, r->ops[GAM_OPERATIONS]);
}

/* --- calls ------------------------------------------------------------------------------- */

static size_t call_bytes(const gam_case *c)
{
    return sizeof(gam_call) + (size_t)c->segments * gam_case_in(c);
}

static bool call_and_wait(gam_rank *r, const gam_case *c, uint32_t n)
{
    tc_error err = {TC_OK, ""};
    const gam_slot *slot = gam_rank_slot(r, n);
    size_t size = (size_t)c->segments * gam_case_out(c);
    return gam_rank_check(tc_call(r->ep, r->function, slot->call, call_bytes(c), slot->output,
                                  &size, GAM_TIMEOUT_NS, &err),
                          &err, "call");
}

static void note_end(void *user, const tc_call_outcome *outcome)
{
    gam_rank *r = user;
    r->ended++;
    if (outcome->status != TC_OK)
        r->failed = outcome->status;
}

static bool start_call(gam_rank *r, const gam_case *c, uint32_t n)
{
    tc_error err = {TC_OK, ""};
    tc_status status;
    const gam_slot *slot = gam_rank_slot(r, n);
    const tc_call_params params = {.result = slot->output,
                                   .result_capacity = (size_t)c->segments * gam_case_out(c),
                                   .timeout_ns = GAM_TIMEOUT_NS,
                                   .done = note_end,
                                   .user = r};
    while (n - r->ended >= GAM_SLOTS_AT_ONCE)
        (void)tc_progress(r->ctx);
    while ((status = tc_call_start(r->ep, r->function, slot->call, call_bytes(c), &params, NULL,
                                   &err)) == TC_E_AGAIN)
        (void)tc_progress(r->ctx);
    return gam_rank_check(status, &err, "call");
}

/* An answered call frees its slot: answers come in order. */
static bool run_calls(gam_rank *r, const gam_case *c)
{
    for (uint32_t n = 0; n < c->messages; n++) {
        if (c->is_awaited ? !call_and_wait(r, c, n) : !start_call(r, c, n))
            return false;
    }
    while (!c->is_awaited && r->ended < c->messages)
        (void)tc_progress(r->ctx);
    return r->failed == TC_OK || gam_rank_complain("a call failed");
}

/* --- windows ----------------------------------------------------------------------------- */

/* A word of rank 0 is the lock. */
static bool lock(const gam_rank *r)
{
    tc_error err = {TC_OK, ""};
    uint64_t before;
    do {
        if (!gam_rank_check(tc_window_compare_swap(r->ep, r->pointers[SUMS], 0, r->rank,
                                                   &before, GAM_TIMEOUT_NS, &err),
                            &err, "lock"))
            return false;
    } while (before != 0);
    return true;
}

/* Stores, then unlocks, by one message. */
static bool put_and_unlock(const gam_rank *r, tc_gptr at, const void *source, uint64_t size)
{
    static const uint64_t unlocked;
    tc_error err = {TC_OK, ""};
    tc_window_step steps[2];
    size_t count = 0;
    if (size > 0)
        steps[count++] = tc_window_step_put(at, source, size);
    steps[count++] = tc_window_step_put(r->pointers[SUMS], &unlocked, sizeof unlocked);
    return gam_rank_check(tc_window_chain(r->ep, steps, count, GAM_TIMEOUT_NS, NULL, &err),
                          &err, "put");
}

static void note_chain(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    gam_rank *r = user;
    (void)succeeded, (void)text;
    r->ended++;
    if (status != TC_OK)
        r->failed = status;
}

/* The buckets of all strings, as few messages under way at once. */
static bool get_buckets(gam_rank *r, const gam_case *c, const char *asked,
                        char buckets[][GAM_SLOTS][GAM_STRING_BYTES])
{
    tc_error err = {TC_OK, ""};
    const tc_window_start_params params = {
        .timeout_ns = GAM_TIMEOUT_NS, .done = note_chain, .user = r};
    uint32_t started = 0;
    r->ended = 0;
    for (uint32_t i = 0; i < c->segments; started++) {
        tc_window_step steps[TC_WINDOW_STEPS_MAX];
        size_t count = 0;
        tc_status status;
        for (; count < TC_WINDOW_STEPS_MAX && i < c->segments; i++, count++) {
            const uint64_t bucket = gam_bucket(asked + (size_t)i * GAM_STRING_BYTES);
            steps[count] =
                tc_window_step_get(tc_gptr_add(r->pointers[TABLE], bucket * GAM_BUCKET_BYTES),
                                   buckets[i], GAM_BUCKET_BYTES);
        }
        while ((status = tc_window_chain_start(r->ep, steps, count, &params, &err)) ==
               TC_E_AGAIN)
            (void)tc_progress(r->ctx);
        if (!gam_rank_check(status, &err, "get"))
            return false;
    }
    while (r->ended < started)
        (void)tc_progress(r->ctx);
    return r->failed == TC_OK || gam_rank_complain("a get failed");
}

static bool search_by_window(gam_rank *r, const gam_case *c, const gam_slot *slot)
{
    static char buckets[GAM_SEGMENTS][GAM_SLOTS][GAM_STRING_BYTES];
    const char *asked = slot->input;
    char *found = slot->output;
    if (!get_buckets(r, c, asked, buckets))
        return false;
    for (uint32_t i = 0; i < c->segments; i++)
        gam_search_bucket((const char(*)[GAM_STRING_BYTES])buckets[i],
                          asked + (size_t)i * GAM_STRING_BYTES,
                          found + (size_t)i * GAM_STRING_BYTES);
    return put_and_unlock(r, r->pointers[TABLE], NULL, 0);
}

static bool sum_by_window(gam_rank *r, const gam_case *c, const gam_slot *slot)
{
    static int32_t sums[GAM_SUMS_OF_ORIGIN];
    tc_error err = {TC_OK, ""};
    const uint32_t count = c->segments * c->values;
    const tc_gptr at = tc_gptr_add(r->pointers[SUMS], sums_at(r));
    if (!gam_rank_check(
            tc_window_get(r->ep, at, sums, count * sizeof *sums, GAM_TIMEOUT_NS, &err), &err,
            "get"))
        return false;
    gam_compute_sum(sums, slot->input, gam_case_out(c) > 0 ? slot->output : NULL, count);
    return put_and_unlock(r, at, sums, count * sizeof *sums);
}

static bool run_window(gam_rank *r, const gam_case *c)
{
    for (uint32_t n = 0; n < c->messages; n++) {
        const gam_slot *slot = gam_rank_slot(r, n);
        if (!lock(r) || !(c->operation == GAM_SEARCH ? search_by_window(r, c, slot)
                                                     : sum_by_window(r, c, slot)))
            return false;
    }
    return true;
}

/* --- mapped windows ---------------------------------------------------------------------- */

static void lock_view(uint64_t *word, uint64_t own)
{
    uint64_t unlocked = 0;
    while (!__atomic_compare_exchange_n(word, &unlocked, own, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        unlocked = 0;
        (void)sched_yield();
    }
}

static bool run_view(gam_rank *r, const gam_case *c)
{
    if (r->views[TABLE] == NULL || r->views[SUMS] == NULL)
        return gam_rank_complain("the windows cannot be mapped");
    uint64_t *word = r->views[SUMS]->memory;
    int32_t *sums = (int32_t *)word + sums_at(r) / sizeof(int32_t);
    for (uint32_t n = 0; n < c->messages; n++) {
        const gam_slot *slot = gam_rank_slot(r, n);
        lock_view(word, r->rank);
        if (c->operation == GAM_SEARCH)
            gam_search((const gam_table *)(const void *)r->views[TABLE]->memory, slot->input,
                       slot->output, c->segments);
        else
            gam_compute_sum(sums, slot->input, gam_case_out(c) > 0 ? slot->output : NULL,
                            c->segments * c->values);
        __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    }
    return true;
}

/* --- the operation alone ----------------------------------------------------------------- */

static int32_t own_sums[GAM_SUMS_OF_ORIGIN];

static __attribute__((noinline)) void run_unit(const gam_rank *r, const gam_case *c,
                                               const gam_slot *slot, uint32_t first,
                                               uint32_t segments)
{
    const size_t at = (size_t)first * gam_case_in(c);
    const char *input = (const char *)slot->input + at;
    char *output = (char *)slot->output + at;
    if (c->operation == GAM_SEARCH)
        gam_search(&r->table, input, output, segments);
    else
        gam_compute_sum(
            own_sums + (size_t)first * c->values, (const int32_t *)(const void *)input,
            gam_case_out(c) > 0 ? (int32_t *)(void *)output : NULL, segments * c->values);
}

static bool run_function(gam_rank *r, const gam_case *c)
{
    const uint32_t unit = c->unit > 0 ? c->unit : c->segments;
    for (uint32_t n = 0; n < c->messages; n++) {
        for (uint32_t first = 0; first < c->segments; first += unit)
            run_unit(r, c, gam_rank_slot(r, n), first,
                     c->segments - first < unit ? c->segments - first : unit);
    }
    return true;
}

static const gam_way ways[] = {
    {"am", GAM_ACTIVE, run_active, NULL, ALL},
    {"am-epoch", GAM_ACTIVE, run_epoch, NULL, ALL},
    {"am-concurrent", GAM_ACTIVE, run_concurrent, NULL, ALL},
    {"am-atomic", GAM_ACTIVE, run_atomic, NULL, "sum,accumulate"},
    {"call", GAM_LIBRARY, run_calls, NULL, BOTH},
    {"window", GAM_LIBRARY, run_window, NULL, ALL},
    {"view", GAM_LIBRARY, run_view, NULL, ALL},
    {"function", GAM_LOCAL, run_function, NULL, ALL},
};

const gam_way *const gam_ways[] = {&ways[0], &ways[1], &ways[2], &ways[3], &ways[4],
                                   &ways[5], &ways[6], &ways[7], NULL};
