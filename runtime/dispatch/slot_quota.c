/* The counts are made by walking slots and the registry when a function comes, so that nothing
 * has to be kept up to date. */
#include "dispatch/slot_quota.h"

#include "core/quota.h"

#define INDEX_COUNT 65536u

typedef struct holding {
    uint64_t functions;
    uint64_t bytes;
    uint64_t seen[INDEX_COUNT / 64]; /* a bit for each function, by its index */
} holding;

static uint64_t bytes_of(const tc_ifunc *fn)
{
    return fn->code_bytes + (fn->unit != NULL ? tci_code_unit_memory(fn->unit) : 0);
}

static bool has(const holding *h, const tc_ifunc *fn)
{
    return (h->seen[fn->index / 64] >> fn->index % 64 & 1) != 0;
}

static void add_slots(holding *h, const tc_ep *ep)
{
    for (size_t slot = 0; slot < ep->rx.slot_count; slot++) {
        const tc_ifunc *fn = ep->rx.slots[slot].fn;
        if (fn == NULL || has(h, fn))
            continue;
        h->seen[fn->index / 64] |= 1ull << fn->index % 64;
        h->functions++;
        h->bytes += bytes_of(fn);
    }
}

static tc_status check(const tc_ep *ep, const holding *h, uint64_t bytes, tc_error *err)
{
    const struct tc_options *options = &ep->core->options;
    char name[TCI_QUOTA_NAME_MAX];
    if (options->quota_functions > 0 && h->functions >= options->quota_functions)
        return tci_error_set(
            err, TC_E_TOO_LARGE, "%s hold %llu functions, option quota_functions is %llu",
            tci_quota_name(ep->account, name), (unsigned long long)h->functions,
            (unsigned long long)options->quota_functions);
    if (options->quota_code_bytes > 0 &&
        (h->bytes > options->quota_code_bytes || bytes > options->quota_code_bytes - h->bytes))
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "%s hold %llu bytes of code, and this one has %llu: option "
                             "quota_code_bytes is %llu",
                             tci_quota_name(ep->account, name), (unsigned long long)h->bytes,
                             (unsigned long long)bytes,
                             (unsigned long long)options->quota_code_bytes);
    return TC_OK;
}

tc_status tci_slot_quota_check(const tc_ep *ep, const tci_code_section *section,
                               const tc_ifunc *known, tc_error *err)
{
    const struct tc_options *options = &ep->core->options;
    if (ep->account == NULL || (options->quota_functions | options->quota_code_bytes) == 0)
        return TC_OK;
    holding h = {0};
    for (const tc_ep *other = ep->core->first; other != NULL; other = other->next) {
        if (other->account == ep->account)
            add_slots(&h, other);
    }
    if (known != NULL && has(&h, known))
        return TC_OK;
    return check(ep, &h,
                 known != NULL ? bytes_of(known)
                               : (uint64_t)section->archive_size + section->deps_size,
                 err);
}

/* --- shares ------------------------------------------------------------------------------ */

static uint64_t three_quarters(uint64_t bytes)
{
    return bytes - bytes / 4;
}

tc_status tci_slot_quota_check_places(const tc_ep *ep, tc_error *err)
{
    const tci_registry *registry = &ep->core->registry;
    const uint64_t max = registry->options->functions_max, share = three_quarters(max);
    uint64_t stuck = 0;
    if (registry->count < share)
        return TC_OK;
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
    holding h = {0};
    add_slots(&h, ep);
    for (size_t i = 0; i < registry->options->functions_max; i++) {
        const tc_ifunc *other = registry->table[i];
        if (other != NULL)
            *(has(&h, other) ? &mine : &others) += tci_registry_kept_bytes(other);
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
