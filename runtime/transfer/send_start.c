/* Starts sends whose bytes stay the caller's.
 *
 * Each send goes through the endpoint's queue, also when it can leave at once: so it keeps its
 * position between other messages, and there is one way to send it (queue_drain.h). It ends
 * when its item leaves the queue, or when the large payload made of it has left
 * (started.h). */
#include "transfer/started.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "base/sized_struct.h"
#include "core/ep_state.h"
#include "core/sole_user.h"
#include "transfer/large_send.h"
#include "transfer/queue_drain.h"
#include "transfer/send_error.h"
#include "transfer/send_queue.h"
#include "transfer/send_space.h"

#include <stdlib.h>
#include <tc/endpoint.h>

static tc_status make(const struct iovec *parts, size_t count, tci_started **started_out,
                      tc_error *err)
{
    if (count > TC_SEND_PARTS_MAX)
        return tci_error_set(err, TC_E_INVALID, "%zu parts, expected at most %u", count,
                             TC_SEND_PARTS_MAX);
    tci_started *started = calloc(1, sizeof *started + count * sizeof *parts);
    if (started == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "send: out of memory");
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len == 0)
            continue;
        started->parts[started->count++] = parts[i];
        started->size = parts[i].iov_len > SIZE_MAX - started->size
                            ? SIZE_MAX
                            : started->size + parts[i].iov_len;
    }
    TCI_INVARIANT_IS(started_parts, started->count, <=, count);
    *started_out = started;
    return TC_OK;
}

/* Returns why the endpoint does not take the send. */
static tc_status check(const tc_ep *ep, const tc_ifunc *fn, size_t size, tc_error *err)
{
    const char *name = tci_archive_name(fn->archive);
    if (ep->state >= TCI_EP_CLOSED)
        return tc_ep_error(ep, err);
    if (fn->entries & TCI_ENTRY_INIT)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "%s: it makes its payloads, expected one that takes them as they "
                             "are",
                             name);
    if (size > ep->core->options.payload_bytes_max)
        return tci_error_set(err, TC_E_TOO_LARGE, "%s: a payload of %zu bytes, at most %zu",
                             name, size, (size_t)ep->core->options.payload_bytes_max);
    if (ep->tx.building || (ep->tx.large != NULL && !ep->tx.large->queued))
        return tci_error_set(err, TC_E_BUSY,
                             "a message of tc_send is partly sent, or NAME_payload_init is "
                             "running");
    return TC_OK;
}

static bool has_capacity(const tc_ep *ep, const tci_started *started)
{
    return (tci_ep_takes_messages(ep) || ep->tx.queues_unopened) &&
           ep->core->ended_count < TCI_ENDED_SENDS_MAX &&
           tci_send_queue_takes(ep, sizeof(tci_queued) + tci_started_cost(started));
}

/* Takes over `started` on TC_OK alone. */
static tc_status start(tc_ep *ep, tc_ifunc *fn, tci_started *started, tc_error *err)
{
    TC_TRY(check(ep, fn, started->size, err));
    if (ep->tx.bindings[fn->index] == TCI_TX_REFUSED)
        return tci_send_error_explain(ep, TC_E_REFUSED, err);
    if (!has_capacity(ep, started)) {
        tci_send_space_want(ep);
        return tci_error_set(err, TC_E_AGAIN,
                             "sends fill the queue, %u have ended, or it is not open yet",
                             TCI_ENDED_SENDS_MAX);
    }
    tci_queued *item = tci_send_queue_make(&(tci_frame){0});
    if (item == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "send: out of memory");
    item->fn = fn;
    item->started = started;
    item->cost += tci_started_cost(started);
    tci_registry_retain(fn);
    tci_send_queue_append(ep, item);
    if (tci_ep_takes_messages(ep))
        tci_queue_drain(ep);
    return TC_OK;
}

tc_status tc_send_start_sized(tc_ep *ep, tc_ifunc *fn, const struct iovec *parts, size_t count,
                              const tc_send_params *params, size_t params_size, tc_error *err)
{
    tc_send_params own;
    tci_started *started;
    TC_TRY(tci_sized_struct_read(&own, sizeof own, params, params_size, err));
    TC_TRY(make(parts, count, &started, err));
    started->params = own;
    bool entered = tci_sole_user_enter(ep->core, "tc_send_start");
    tc_status status = start(ep, fn, started, err);
    tci_sole_user_leave(ep->core, entered);
    if (status != TC_OK)
        free(started);
    return status;
}
