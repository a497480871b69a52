/* The counts are made by walking slots and the registry when a function comes, so that little
 * has to be kept up to date; and not while functions are few, or most of them may leave. */
#include "dispatch/slot_quota.h"

#include "base/error_text.h"

uint64_t tci_slot_quota_bytes(const tc_ifunc *fn)
{
    return fn->code_bytes + tci_registry_unit_bytes(fn);
}

void tci_slot_quota_add(tci_holding *h, const tc_ep *ep)
{
    for (size_t slot = 0; slot < ep->rx.slot_count; slot++) {
        const tc_ifunc *fn = ep->rx.slots[slot].fn;
        if (fn == NULL || tci_slot_quota_has(h, fn))
            continue;
        h->seen[fn->index / 64] |= 1ull << fn->index % 64;
        h->functions++;
        h->bytes += tci_slot_quota_bytes(fn);
    }
}

static uint64_t three_quarters(uint64_t bytes)
{
    return bytes - bytes / 4;
}

tc_status tci_slot_quota_check_places(const tc_ep *ep, tc_error *err)
{
    const tci_registry *registry = &ep->core->registry;
    const uint64_t max = registry->options->functions_max, share = three_quarters(max);
    uint64_t stuck = 0;
    if (registry->count - registry->stateless < share || ep->rx.slot_count < share)
        return TC_OK; /* loaded code without variables is never stuck */
    for (size_t slot = 0; slot < ep->rx.slot_count; slot++) {
        const tc_ifunc *fn = ep->rx.slots[slot].fn;
        stuck += fn != NULL && tci_registry_is_stuck(fn);
    }
    if (stuck < share)
        return TC_OK;
    return tci_error_set(err, TC_E_TOO_LARGE,
                         "%llu functions of this peer cannot leave, expected at most %llu of "
                         "the %llu of option functions_max",
                         (unsigned long long)stuck + 1, (unsigned long long)share,
                         (unsigned long long)max);
}

tc_status tci_slot_quota_check_memory(const tc_ep *ep, const tc_ifunc *fn, tc_error *err)
{
    const tci_registry *registry = &ep->core->registry;
    const uint64_t max = registry->options->code_memory_max;
    uint64_t mine = 0, others = 0;
    if (registry->code_memory <= three_quarters(max) || tci_registry_kept_bytes(fn) == 0)
        return TC_OK;
    tci_holding h = {0};
    tci_slot_quota_add(&h, ep);
    for (size_t i = 0; i < registry->capacity; i++) {
        const tc_ifunc *other = registry->table[i];
        if (other != NULL)
            *(tci_slot_quota_has(&h, other) ? &mine : &others) +=
                tci_registry_kept_bytes(other);
    }
    const uint64_t share = others < max ? three_quarters(max - others) : 0;
    const bool is_alone = others == 0 && mine == tci_registry_kept_bytes(fn);
    if (mine <= share || is_alone)
        return TC_OK;
    return tci_error_set(err, TC_E_TOO_LARGE,
                         "%llu bytes of this peer's functions cannot leave, expected at most "
                         "%llu, three quarters of what others leave of the %llu of option "
                         "code_memory_max",
                         (unsigned long long)mine, (unsigned long long)share,
                         (unsigned long long)max);
}
