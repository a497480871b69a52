/* A function that waits, in each way that there is. The state counts beginnings (next), ends
 * (bytes), and waits that failed (replies). */
#include "patient.h"

#include "check.h"

#include <stdbool.h>
#include <string.h>
#include <tc/call.h>
#include <tc/endpoint.h>
#include <tc/entry.h>
#include <tc/task.h>

#define LONG_NS TC_SECONDS(600) /* another event ends these waits, on a slow machine, too */

static void fail(tc_status status)
{
    tc_self_fail(status, "a wait failed");
}

static tc_status nap(uint64_t ns)
{
    const tc_ep *ep = tc_self_endpoint();
    const tc_ifunc *fn = tc_self_ifunc();
    tc_status status = tc_task_sleep(ns);
    return ep == tc_self_endpoint() && fn == tc_self_ifunc() ? status : TC_E_INVALID;
}

static void nest(const patient_order *order)
{
    patient_order next = *order;
    uint64_t answer = 0;
    size_t size = sizeof answer;
    tc_error error;
    tc_status status = TC_OK;
    next.depth--;
    if (order->depth > 0)
        status = tc_call(tc_self_endpoint(), tc_self_ifunc(), &next, sizeof next, &answer,
                         &size, 0, &error);
    answer++;
    if (status == TC_OK)
        (void)tc_reply(&answer, sizeof answer);
    else
        tc_self_fail(status, error.text);
}

static void sum(const patient_order *order)
{
    uint64_t total = 0, word;
    tc_error error;
    for (uint32_t i = 0; i < order->depth; i++) {
        tc_status status =
            tc_window_get(tc_self_endpoint(), tc_gptr_add(order->at, i * sizeof word), &word,
                          sizeof word, 0, &error);
        if (status != TC_OK) {
            tc_self_fail(status, error.text);
            return;
        }
        total += word;
    }
    (void)tc_reply(&total, sizeof total);
}

static void use_stack(const patient_order *order)
{
    uint8_t *bytes = __builtin_alloca(order->depth + 1);
    uint64_t wrong = 0;
    check_fill(bytes, order->ns, order->depth);
    tc_status status = nap(order->ns);
    for (size_t i = 0; i < order->depth; i++)
        wrong += bytes[i] != check_byte(order->ns, order->depth, i);
    if (status == TC_OK)
        (void)tc_reply(&wrong, sizeof wrong);
    else
        fail(status);
}

static void sleep_and_abandon(void *argument)
{
    const patient_order *order = argument;
    if (nap(order->ns) == TC_OK)
        tc_self_abandon();
    fail(TC_E_INVALID);
}

/* Each frame has the address of the one above, so that no compiler makes a loop of it. */
static uint64_t sink(const volatile uint8_t *above)
{
    volatile uint8_t bytes[256];
    bytes[0] = (uint8_t)(*above + 1);
    return sink(bytes) + bytes[0];
}

/* Its frame is larger than the area below the stack. */
static uint64_t plunge(void)
{
    volatile size_t bytes = (size_t)64 << 20;
    volatile uint8_t *all = __builtin_alloca(bytes);
    all[0] = 1;
    return all[0];
}

/* Has a frame of random size, `most` bytes at most, and calls itself. Frames that lie between
 * 16 and 48 KiB below the first one sleep. */
static uint64_t dive(uint64_t random, uint32_t most, uintptr_t top)
{
    random = random * 6364136223846793005u + 1442695040888963407u;
    const size_t bytes = (size_t)(random >> 33) % most + 1;
    volatile uint8_t *frame = __builtin_alloca(bytes);
    const uintptr_t used = top - (uintptr_t)frame;
    frame[0] = (uint8_t)random;
    frame[bytes - 1] = frame[0];
    if (used > 16 << 10 && used < 48 << 10 && tc_task_sleep(1000) != TC_OK)
        return 0;
    return dive(random, most, top) + frame[bytes - 1];
}

/* Uses all of the stack, if that is the order; returns otherwise. */
static bool use_all(const patient_order *order)
{
    uint64_t found = 0;
    if (order->kind == PATIENT_SINK)
        found = sink((const uint8_t *)order);
    else if (order->kind == PATIENT_PLUNGE)
        found = plunge();
    else if (order->kind == PATIENT_DIVE)
        found = dive(order->ns, order->depth, (uintptr_t)__builtin_frame_address(0));
    else
        return false;
    (void)tc_reply(&found, sizeof found);
    return true;
}

static void stay(check_state *state, const patient_order *order)
{
    while (nap(order->ns) == TC_OK)
        continue;
    state->replies++;
}

static void insist(const patient_order *order)
{
    for (;;)
        (void)nap(order->ns);
}

static void answer_word(tc_status status, uint64_t word)
{
    if (status == TC_OK)
        (void)tc_reply(&word, sizeof word);
    else
        fail(status);
}

static void relay(check_state *state, const patient_order *order)
{
    patient_order next = {.kind = PATIENT_NAP, .ns = order->ns};
    size_t size = sizeof next;
    const tc_status status =
        tc_call(state->other, tc_self_ifunc(), &next, size, &next, &size, LONG_NS, NULL);
    state->replies += status != TC_OK;
    answer_word(status, size);
}

static void fetch(check_state *state, const patient_order *order)
{
    uint64_t word = 0;
    const tc_status status =
        tc_window_get(state->other, order->at, &word, sizeof word, LONG_NS, NULL);
    state->replies += status != TC_OK;
    answer_word(status, word);
}

static void get_late(const patient_order *order)
{
    uint64_t word = 0;
    tc_status status = nap(order->ns);
    if (status == TC_OK)
        status = tc_window_get(tc_self_endpoint(), order->at, &word, sizeof word, 0, NULL);
    answer_word(status, word);
}

static void close_and_nap(check_state *state, const patient_order *order)
{
    tc_ep_close(tc_self_endpoint());
    state->replies += nap(order->ns) == TC_E_CLOSED;
}

/* The answer has bytes, for which the call has no memory. */
static void nap_in_callback(void *user, const tc_call_outcome *outcome)
{
    check_state *state = user;
    state->wrong += outcome->status != TC_E_TOO_LARGE;
    state->replies += tc_task_sleep(1) == TC_E_BUSY;
}

static void sleep_in_callback(check_state *state, const patient_order *order)
{
    const patient_order now = {.kind = PATIENT_STACK};
    const tc_call_params params = {.done = nap_in_callback, .user = state};
    const uint64_t before = state->replies;
    tc_status status = tc_call_start(tc_self_endpoint(), tc_self_ifunc(), &now, sizeof now,
                                     &params, NULL, NULL);
    while (status == TC_OK && state->replies + state->wrong == before)
        status = nap(order->ns);
    answer_word(status, state->replies - before);
}

static void answer_later(const patient_order *order, size_t size)
{
    tc_status status = nap(order->ns);
    if (status != TC_OK || order->kind == PATIENT_FAIL)
        fail(status != TC_OK ? status : TC_E_IO);
    else
        (void)tc_reply(order, size);
}

static void run(check_state *state, patient_order *order, size_t size)
{
    uint64_t abandoned = 0;
    switch ((patient_kind)order->kind) {
    case PATIENT_NAP:
    case PATIENT_FAIL:
        answer_later(order, size);
        break;
    case PATIENT_NEST:
        nest(order);
        break;
    case PATIENT_SUM:
        sum(order);
        break;
    case PATIENT_STACK:
        use_stack(order);
        break;
    case PATIENT_GUARD:
        abandoned = (uint64_t)tc_self_guard(sleep_and_abandon, order);
        (void)tc_reply(&abandoned, sizeof abandoned);
        break;
    case PATIENT_STAY:
        stay(state, order);
        break;
    case PATIENT_INSIST:
        insist(order);
        break;
    case PATIENT_RELAY:
        relay(state, order);
        break;
    case PATIENT_FETCH:
        fetch(state, order);
        break;
    case PATIENT_CLOSE:
        close_and_nap(state, order);
        break;
    case PATIENT_BACK:
        sleep_in_callback(state, order);
        break;
    case PATIENT_LATE:
        get_late(order);
        break;
    case PATIENT_SINK:
    case PATIENT_PLUNGE:
    case PATIENT_DIVE:
        break;
    }
}

TC_THREADED(patient)(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    if (size < sizeof(patient_order)) {
        fail(TC_E_INVALID);
        return;
    }
    if (use_all(payload)) /* of a node, which has no state */
        return;
    state->next++;
    run(state, payload, size);
    state->bytes++;
}
