#include "mrpc_exchange.h"

#include "perf_clock.h"

#include <sched.h>

#define TURNS_BEFORE_YIELD 1000u

/* --- messages ---------------------------------------------------------------------------- */

/* True: the message was not taken, and may be now. */
static inline bool try_again(mrpc_rank *r, tc_status status)
{
    if (status != TC_E_AGAIN)
        return false;
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_NET);
    const bool can = tc_wait(r->ctx, MRPC_TIMEOUT_NS) == TC_OK;
    (void)mrpc_stamps_enter(&r->stamps, before);
    return can;
}

bool mrpc_exchange_send(mrpc_rank *r, uint32_t peer, tc_ifunc *fn, void *args, size_t size)
{
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_COPY);
    tc_status status;
    do {
        status = tc_send(r->peers[peer].ep, fn, args, size);
    } while (try_again(r, status));
    (void)mrpc_stamps_enter(&r->stamps, before);
    return status == TC_OK || mrpc_rank_fail("a message: %s", tc_status_text(status));
}

static void note_end(mrpc_rank *r, tc_status status)
{
    if (r->end == TC_OK)
        r->end = status;
}

static void chain_ended(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    (void)succeeded, (void)text;
    note_end(user, status);
}

/* A result that is too long is no success either. */
static void call_ended(void *user, const tc_call_outcome *outcome)
{
    note_end(user, outcome->status);
}

bool mrpc_exchange_ask(mrpc_rank *r, uint32_t peer, tc_ifunc *fn, const void *args, size_t size,
                       void *result, size_t result_size)
{
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_NET);
    tc_error err = {TC_OK, ""};
    size_t found = result_size;
    const tc_status status =
        tc_call(r->peers[peer].ep, fn, args, size, result, &found, MRPC_TIMEOUT_NS, &err);
    (void)mrpc_stamps_enter(&r->stamps, before);
    return mrpc_rank_check(status, &err, "a call") &&
           (found == result_size ||
            mrpc_rank_fail("a result of %zu bytes, expected %zu", found, result_size));
}

bool mrpc_exchange_get(mrpc_rank *r, uint32_t peer, uint64_t offset, void *bytes, size_t size)
{
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_NET);
    tc_error err = {TC_OK, ""};
    const tc_status status = tc_window_get(r->peers[peer].ep, mrpc_rank_at(r, peer, offset),
                                           bytes, size, MRPC_TIMEOUT_NS, &err);
    (void)mrpc_stamps_enter(&r->stamps, before);
    return mrpc_rank_check(status, &err, "get");
}

bool mrpc_exchange_call(mrpc_rank *r, uint32_t peer, tc_ifunc *fn, const void *args,
                        size_t size, void *result, size_t capacity)
{
    const tc_call_params params = {.result = result,
                                   .result_capacity = capacity,
                                   .timeout_ns = MRPC_TIMEOUT_NS,
                                   .done = call_ended,
                                   .user = r};
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_COPY);
    tc_error err = {TC_OK, ""};
    tc_status status;
    do {
        status = tc_call_start(r->peers[peer].ep, fn, args, size, &params, NULL, &err);
    } while (try_again(r, status));
    (void)mrpc_stamps_enter(&r->stamps, before);
    return mrpc_rank_check(status, &err, "a call");
}

bool mrpc_exchange_chain(mrpc_rank *r, uint32_t peer, const tc_window_step *steps, size_t count)
{
    const tc_window_start_params params = {
        .timeout_ns = MRPC_TIMEOUT_NS, .done = chain_ended, .user = r};
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_COPY);
    tc_error err = {TC_OK, ""};
    tc_status status;
    do {
        status = tc_window_chain_start(r->peers[peer].ep, steps, count, &params, &err);
    } while (try_again(r, status));
    (void)mrpc_stamps_enter(&r->stamps, before);
    return mrpc_rank_check(status, &err, "a chain");
}

bool mrpc_exchange_end(mrpc_rank *r)
{
    tc_error err = {TC_OK, ""};
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_NET);
    const tc_status status = tc_calls_wait(r->ctx, MRPC_TIMEOUT_NS), end = r->end;
    (void)mrpc_stamps_enter(&r->stamps, before);
    r->end = TC_OK;
    return mrpc_rank_check(status, &err, "the end of all that was started") &&
           mrpc_rank_check(end, &err, "one of those that were started");
}

/* --- until the data of an exchange are here ----------------------------------------------- */

bool mrpc_exchange_signal(mrpc_rank *r, uint32_t peer, uint64_t exchange)
{
    const tc_error err = {TC_OK, ""};
    const uint64_t offset = mrpc_exchange_arrived_at(r, peer).offset;
    return mrpc_rank_check(tc_window_view_put(r->peers[peer].view, offset, exchange), &err,
                           "put");
}

static inline bool has_arrived(const mrpc_rank *r, uint32_t peer, uint64_t exchange)
{
    return peer == r->rank ||
           __atomic_load_n(&r->share->arrived[peer], __ATOMIC_ACQUIRE) >= exchange;
}

static bool late(uint32_t peer)
{
    return mrpc_rank_fail("no data of rank %u came in time", peer);
}

bool mrpc_exchange_await_message(mrpc_rank *r, uint32_t peer, uint64_t exchange)
{
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_NET);
    bool ok = true;
    while (ok && !has_arrived(r, peer, exchange))
        ok = tc_wait(r->ctx, MRPC_TIMEOUT_NS) == TC_OK || late(peer);
    (void)mrpc_stamps_enter(&r->stamps, before);
    return ok;
}

bool mrpc_exchange_await_store(mrpc_rank *r, uint32_t peer, uint64_t exchange)
{
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_NET);
    uint64_t end_ns = 0;
    bool ok = true;
    for (uint64_t turn = 1; ok && !has_arrived(r, peer, exchange); turn++) {
        if (turn % TURNS_BEFORE_YIELD != 0)
            continue;
        const uint64_t now_ns = perf_now_ns();
        if (end_ns == 0)
            end_ns = now_ns + MRPC_TIMEOUT_NS;
        ok = now_ns <= end_ns || late(peer);
        (void)tc_progress(r->ctx);
        (void)sched_yield();
    }
    (void)mrpc_stamps_enter(&r->stamps, before);
    return ok;
}

bool mrpc_exchange_await_messages(mrpc_rank *r)
{
    bool ok = true;
    for (uint32_t peer = 0; ok && peer < r->ranks; peer++)
        ok = mrpc_exchange_await_message(r, peer, r->exchange);
    return ok;
}

bool mrpc_exchange_await_stores(mrpc_rank *r)
{
    bool ok = true;
    for (uint32_t peer = 0; ok && peer < r->ranks; peer++)
        ok = mrpc_exchange_await_store(r, peer, r->exchange);
    return ok;
}
