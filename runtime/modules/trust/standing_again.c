/* Judges functions again, after keys were read again or one has ended. */
#include "base/logger.h"
#include "ifunc/ifunc_load.h"
#include "ifunc/libraries_ops.h"
#include "modules/trust/standing.h"
#include "modules/trust/trust.h"

/* Applies other rules than before to a function that now has another signer. No function may be
 * running. */
static void bind_again(tc_ifunc *fn, const tci_symbol_section *rules)
{
    tci_ifunc_load_forgive(fn, tci_registry_rules(fn) != rules);
    if (tci_registry_rules(fn) != rules && tci_libraries_forbid(fn) &&
        (fn->state == TCI_LOADED || fn->state == TCI_LOADING))
        tci_registry_evict(fn);
}

/* Refuses a function: it may not be called any more, whatever slots still hold it. */
static void refuse_function(tc_ifunc *fn, const tc_error *why)
{
    const tci_registry *registry = fn->registry;
    TC_LOG(TC_LOG_WARN, "unloaded: %s", why->text);
    if (!tci_libraries_forbid(fn))
        return; /* no new user may be bound to it; it is unloaded after its last user */
    tci_ifunc_load_refuse(fn, why);
    if (registry->loading != NULL)
        registry->loading->forget_stored(registry->engine, &fn->id);
    tci_ifunc_load_announce(fn, false);
}

static void judge_again(tc_ifunc *fn)
{
    const tci_symbol_section *rules = tci_registry_rules(fn);
    const bool was_open = fn->standing == TCI_STANDING_OPEN;
    const bool was_local = fn->standing == TCI_STANDING_LOCAL;
    tc_error why;
    if (tci_standing_judge(fn, &why) == TC_OK)
        bind_again(fn, rules);
    else if (was_open || (was_local && fn->standing == TCI_STANDING_BARRED))
        refuse_function(fn, &why);
}

void tci_standing_judge_again(tc_ifunc *fn)
{
    tci_registry_retain(fn);
    judge_again(fn);
    tci_registry_release(fn);
}

tc_status tci_standing_reload(tci_registry *registry, tc_error *err)
{
    tc_status status = tci_trust_reload(registry->options, tci_trust_of(registry), err);
    for (size_t i = 0; i < registry->capacity; i++) {
        if (registry->table[i] != NULL)
            tci_standing_judge_again(registry->table[i]);
    }
    return status;
}
