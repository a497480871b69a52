/* Notifications from lower layers, the registry of functions and endpoints, to those above. */
#include "context/events.h"

#include "base/error_text.h"
#include "core/calls_ops.h"
#include "core/tasks_ops.h"
#include "dispatch/large_receive.h"
#include "dispatch/load_report.h"
#include "dispatch/slots.h"
#include "transfer/large_send.h"
#include "transfer/lost.h"
#include "transfer/send_queue.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* --- functions --------------------------------------------------------------------------- */

static void forget_function(void *user, uint16_t index)
{
    tci_core *core = user;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        ep->tx.bindings[index] = TCI_TX_UNKNOWN;
}

static bool grow_bindings(void *user, size_t capacity)
{
    tci_core *core = user;
    const size_t known = core->registry.capacity;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        uint8_t *bindings = realloc(ep->tx.bindings, capacity); /* bound: functions_max */
        if (bindings == NULL)
            return false;
        memset(bindings + known, TCI_TX_UNKNOWN, capacity - known);
        ep->tx.bindings = bindings;
    }
    return true;
}

static void retry_function(void *user, uint16_t index)
{
    tci_core *core = user;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (ep->tx.bindings[index] == TCI_TX_REFUSED)
            ep->tx.bindings[index] = TCI_TX_UNKNOWN;
    }
}

static bool has_run_all(tc_ep *ep)
{
    tci_producer_refresh(&ep->tx.ring);
    if (!tci_producer_drained(&ep->tx.ring) || ep->tx.coalesced_count > 0)
        return false;
    ep->tx.all_run_at = ep->core->registry.clock;
    return true;
}

/* Returns whether a peer may still ask for the function's code. A peer may ask for the code of
 * any message that it has not run. It asks no more for a function that was released and last
 * used before the peer had run all messages. */
static bool is_wanted(void *user, const tc_ifunc *fn)
{
    tci_core *core = user;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (ep->tx.bindings[fn->index] == TCI_TX_UNKNOWN || !tci_ep_is_open(ep))
            continue;
        const bool was_let_go = fn->references == 0 && fn->last_use <= ep->tx.all_run_at;
        if (!was_let_go && !has_run_all(ep))
            return true;
    }
    return false;
}

static void function_changed(void *user, tc_ifunc *fn, bool better)
{
    tci_core *core = user;
    if (better) {
        core->counters[TCI_CODE_IMPROVED]++;
        tci_load_report_notify(core, fn, 0, 0);
    }
    tci_slots_changed(core, fn);
}

static void evict_function(void *user, tc_ifunc *fn)
{
    tci_slots_evict(user, fn);
}

static const tci_registry_events registry_events = {.forget = forget_function,
                                                    .grow = grow_bindings,
                                                    .retry = retry_function,
                                                    .is_wanted = is_wanted,
                                                    .changed = function_changed,
                                                    .evict = evict_function};

/* --- endpoints --------------------------------------------------------------------------- */

static void ep_opened(tc_ep *ep)
{
    if (ep->core->calls != NULL)
        ep->core->calls->ops->opened(ep);
}

/* Counts the lost messages before any of them is dropped. */
static void ep_ended(tc_ep *ep, const tc_error *error)
{
    ep->life.lost = tci_lost_count(ep);
    ep->core->counters[TCI_MESSAGES_LOST] += ep->life.lost;
    if (ep->core->calls != NULL)
        ep->core->calls->ops->ended(ep, error);
    if (ep->tasks != NULL)
        ep->core->tasks->ops->ended(ep, error->status);
    if (ep->state < TCI_EP_CLOSED)
        return;
    tci_large_lose_started(ep);
    tci_send_queue_clear(ep); /* answered by the module calls, where needed */
}

/* Only endpoints of a group are tried again. */
static void ep_retry(tc_ep *ep, uint64_t now_ns)
{
    ep->core->calls->ops->retry(ep, now_ns);
}

static void ep_unsent(tc_ep *ep, const struct tci_queued *item, tc_status status)
{
    if (ep->core->calls != NULL)
        ep->core->calls->ops->unsent(ep, item, status);
}

static void ep_freed(tc_ep *ep)
{
    tci_slots_free(ep);
    tci_large_receive_free(ep);
}

static const tci_ep_events ep_events = {.opened = ep_opened,
                                        .ended = ep_ended,
                                        .freed = ep_freed,
                                        .retry = ep_retry,
                                        .unsent = ep_unsent};

/* --- loads ------------------------------------------------------------------------------- */

/* Called by a loader thread. */
static void loads_have_ended(void *user)
{
    const tc_context *ctx = user;
    const uint64_t one = 1;
    ssize_t n = write(ctx->loads_fd, &one, sizeof one);
    (void)n; /* full: it is readable already */
}

tc_status tci_events_connect(tc_context *ctx, tc_error *err)
{
    tci_core *core = &ctx->core;
    core->registry.events = &registry_events;
    core->registry.events_user = core;
    core->events = &ep_events;
    ctx->loads_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (ctx->loads_fd < 0)
        return tci_error_set(err, TC_E_IO, "an eventfd could not be made");
    if (core->registry.loading != NULL)
        core->registry.loading->set_notify(core->registry.engine, loads_have_ended, ctx);
    return tci_core_watch(core, ctx->loads_fd, TCI_WATCH_LOADS, err);
}
