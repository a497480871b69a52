/* Maps a window of its sender's, once, and times accesses to it: each depends on the one
 * before. Loops by pointer and by view differ in the checks alone. */
#include "view.h"

#include <tc/call.h>
#include <tc/entry.h>
#include <tc/task.h>
#include <tc/window_view.h>
#include <time.h>

static const tc_window_view *view;

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t load(uint64_t at, uint64_t count)
{
    const uint8_t *base = (const uint8_t *)view->memory;
    for (uint64_t i = 0; i < count; i++)
        at = __atomic_load_n((const uint64_t *)(const void *)(base + at), __ATOMIC_ACQUIRE);
    return at;
}

static uint64_t get(uint64_t at, uint64_t count)
{
    const tc_window_view *mapped = view;
    for (uint64_t i = 0; i < count; i++) {
        if (tc_window_view_get(mapped, at, &at) != TC_OK)
            return UINT64_MAX;
    }
    return at;
}

static uint64_t exchange(uint64_t at, uint64_t count)
{
    uint64_t *word = view->memory + at / sizeof *word, value = 0;
    for (uint64_t i = 0; i < count; i++)
        (void)__atomic_compare_exchange_n(word, &value, value + 1, 0, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST);
    return value;
}

static uint64_t swap(uint64_t at, uint64_t count)
{
    const tc_window_view *mapped = view;
    uint64_t value = 0, before;
    for (uint64_t i = 0; i < count; i++) {
        if (tc_window_view_compare_swap(mapped, at, value, value + 1, &before) != TC_OK)
            return UINT64_MAX;
        value = before;
    }
    return value;
}

static uint64_t run(const view_order *order)
{
    switch ((view_way)order->way) {
    case VIEW_LOAD:
        return load(order->at, order->count);
    case VIEW_GET:
        return get(order->at, order->count);
    case VIEW_EXCHANGE:
        return exchange(order->at, order->count);
    case VIEW_SWAP:
        return swap(order->at, order->count);
    }
    return UINT64_MAX;
}

TC_THREADED(view)(void *payload, size_t size, void *target_args)
{
    const view_order *order = payload;
    view_answer answer = {0};
    tc_error error = {TC_OK, ""};
    (void)target_args;
    if (size != sizeof *order) {
        tc_self_fail(TC_E_INVALID, "no order");
        return;
    }
    if (view == 0 &&
        tc_window_map(tc_self_endpoint(), order->window, 0, &view, &error) != TC_OK) {
        tc_self_fail(error.status, error.text);
        return;
    }
    answer.ns = now_ns();
    answer.last = run(order);
    answer.ns = now_ns() - answer.ns;
    (void)tc_reply(&answer, sizeof answer);
}
