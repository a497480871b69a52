/* What the registry of functions and the endpoints have to tell each other. */
#include "context_private.h"

#include "base/error_text.h"
#include "dispatch/slots.h"

#include <sys/eventfd.h>
#include <unistd.h>

static void forget_function(void *user, uint16_t index)
{
    tci_core *core = user;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        ep->tx_state[index] = TCI_TX_UNKNOWN;
}

/* A peer may ask for the code of any message that it has not run. */
static bool is_wanted(void *user, const tc_ifunc *fn)
{
    tci_core *core = user;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (ep->tx_state[fn->index] == TCI_TX_UNKNOWN || !tci_ep_is_open(ep))
            continue;
        tci_producer_refresh(&ep->tx);
        if (!tci_producer_drained(&ep->tx) || ep->gathered > 0)
            return true;
    }
    return false;
}

static void function_changed(void *user, tc_ifunc *fn, bool better)
{
    tci_core *core = user;
    if (better) {
        core->counters[TCI_CODE_IMPROVED]++;
        tci_core_report(core, fn, 0, 0);
    }
    tci_slots_changed(core, fn);
}

static void evict_function(void *user, tc_ifunc *fn)
{
    tci_slots_evict(user, fn);
}

static const tci_registry_events registry_events = {.forget = forget_function,
                                                    .is_wanted = is_wanted,
                                                    .changed = function_changed,
                                                    .evict = evict_function};

/* By a loader's thread. */
static void loads_have_ended(void *user)
{
    const tci_core *core = user;
    const uint64_t one = 1;
    ssize_t n = write(core->loads_fd, &one, sizeof one);
    (void)n; /* full: it is readable already */
}

tc_status tci_context_watch_functions(tc_context *ctx, tc_error *err)
{
    tci_core *core = &ctx->core;
    core->registry.events = &registry_events;
    core->registry.events_user = core;
    core->loads_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (core->loads_fd < 0)
        return tci_error_set(err, TC_E_IO, "an eventfd could not be made");
    tci_engine_set_notify(core->registry.engine, loads_have_ended, core);
    return tci_core_watch(core, core->loads_fd, TCI_WATCH_LOADS, err);
}

/* What has ended is taken with the other chores. */
void tci_context_note_loads(tc_context *ctx)
{
    uint64_t count;
    ssize_t n = read(ctx->core.loads_fd, &count, sizeof count);
    (void)n;
}
