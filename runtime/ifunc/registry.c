/* The table of a context's functions: finds them by content id (buckets) and by index (table),
 * adds them, counts their references, and evicts them.
 *
 * A function is held while `references` is not 0: by open handles and by slots of endpoints, of
 * which `bound` counts the slots. Without references it is idle: it stays, loaded or not, until
 * its index or its memory is needed, so that a peer that comes back finds its code compiled.
 * Its code is in one of the states TCI_NOT_LOADED, TCI_LOADING, TCI_LOADED and TCI_LOAD_FAILED;
 * ifunc_load.c changes them. Eviction returns a loaded function to TCI_NOT_LOADED, and removes
 * it if only slots held it.
 *
 * Idle functions, and those with loaded code, are in two orders of use (use_order.h). Calls are
 * counted and not timestamped: a call must not touch an order. When memory or an index is
 * needed, the function at the head of an order leaves, or goes to its end: if its count has
 * changed since it was there, if it cannot leave, or if a peer may ask for it. So a search
 * takes as long as the calls and the held functions that it passes, once for each, and not as
 * the table is large; and of the functions that were not called between two searches the oldest
 * leaves. Held functions with variables of their own are not evicted, since these would be
 * lost; nor are libraries, as other code may be bound to them.
 *
 * The registry must never evict a function while one runs, remove code that a peer may still
 * ask for (is_wanted), or parse code of a peer before a required signature was verified. */
#include "registry.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "base/module_absent.h"
#include "ifunc/holes_ops.h"
#include "ifunc/ifunc_load.h"
#include "ifunc/registry_table.h"
#include "wire/frame.h"

#include <stdlib.h>

static tc_status start_engine(tci_registry *registry, tc_error *err)
{
    const struct tc_options *options = registry->options;
    TC_TRY(registry->loading->scope_open(options, &registry->scope, err));
    return registry->loading->acquire(options, &registry->engine, err);
}

tc_status tci_registry_init(tci_registry *registry, const struct tc_options *options,
                            tc_error *err)
{
    registry->options = options; /* the table's bound: functions_max */
    tci_use_order_init(&registry->idle);
    tci_use_order_init(&registry->code);
    if (!tci_registry_table_grow(registry))
        return tci_error_set(err, TC_E_NO_MEMORY, "function table: out of memory");
    if (registry->loading != NULL)
        return start_engine(registry, err);
    return options->symbols[0] == '\0' ? TC_OK
                                       : tci_module_absent("option symbols", "engine", err);
}

tc_ifunc *tci_registry_find(tci_registry *registry, const tci_content_id *id)
{
    tc_ifunc *fn = *tci_registry_table_bucket(registry, id);
    while (fn != NULL && !tci_content_id_equal(&fn->id, id))
        fn = fn->bucket_next;
    return fn;
}

void tci_registry_free(tc_ifunc *fn)
{
    tci_ifunc_load_undo(fn);
    if (fn->filled != NULL)
        fn->registry->holes->forget(fn);
    else if (fn->archive != NULL)
        tci_archive_close(fn->archive);
    for (size_t i = 0; i < TCI_ARCH_COUNT; i++)
        free(fn->injected[i].bytes);
    free(fn->plain);
    free(fn->stored);
    free(fn->signature);
    free(fn->load_error);
    free((void *)(uintptr_t)fn->code);
    free(fn);
}

static void remove_function(tc_ifunc *fn)
{
    tci_registry *registry = fn->registry;
    tc_ifunc **link = tci_registry_table_bucket(registry, &fn->id);
    while (*link != fn) {
        TCI_INVARIANT(fn_bucket, *link != NULL);
        link = &(*link)->bucket_next;
    }
    *link = fn->bucket_next;
    TCI_INVARIANT(fn_table, registry->table[fn->index] == fn);
    registry->table[fn->index] = NULL;
    registry->count--;
    if (fn->index < registry->used_below)
        registry->used_below = fn->index;
    tci_use_order_remove(&registry->idle, &fn->idle_link);
    registry->arrived_memory -= fn->arrived_bytes;
    if (registry->events != NULL)
        registry->events->forget(registry->events_user, fn->index);
    tci_registry_free(fn);
}

void tci_registry_fini(tci_registry *registry)
{
    if (registry->table != NULL) {
        registry->events = NULL;
        for (size_t i = 0; i < registry->capacity; i++) {
            if (registry->table[i] != NULL)
                remove_function(registry->table[i]);
        }
    }
    if (registry->loading != NULL) {
        registry->loading->release(registry->engine);
        registry->loading->scope_close(&registry->scope);
    }
    registry->engine = NULL;
    TCI_INVARIANT_IS(fn_memory, registry->code_memory, ==, 0);
    TCI_INVARIANT(fn_table, registry->table == NULL || registry->count == 0);
    free(registry->table);
    free(registry->buckets);
    registry->table = registry->buckets = NULL;
}

static bool is_wanted(const tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    return registry->events != NULL && registry->events->is_wanted(registry->events_user, fn);
}

/* Returns the function with the oldest link, a member at that offset. */
static tc_ifunc *oldest(tci_use_order *order, size_t at)
{
    return (tc_ifunc *)(void *)((char *)tci_use_order_oldest(order) - at);
}

/* Returns the function without references that was released longest ago. One that a peer may
 * ask for counts as released now. */
static tc_ifunc *find_idle(tci_registry *registry)
{
    for (size_t left = registry->idle.count; left > 0; left--) {
        tc_ifunc *fn = oldest(&registry->idle, offsetof(tc_ifunc, idle_link));
        TCI_INVARIANT_IS(fn_idle, fn->references, ==, 0);
        if (!is_wanted(fn))
            return fn;
        tci_use_order_renew(&registry->idle, &fn->idle_link);
    }
    return NULL;
}

/* --- eviction ---------------------------------------------------------------------------- */

void tci_registry_note_use(tc_ifunc *fn)
{
    tci_registry *registry = fn->registry;
    fn->last_use = ++registry->clock;
    tci_use_order_renew(&registry->idle, &fn->idle_link);
    tci_use_order_renew(&registry->code, &fn->code_link);
}

/* Returns whether the function was called since it was last at the head. */
static bool take_calls(tc_ifunc *fn)
{
    const bool was_called = fn->calls_left != fn->calls_seen;
    fn->calls_seen = fn->calls_left;
    if (was_called)
        tci_registry_note_use(fn);
    return was_called;
}

/* Returns whether the code may be unloaded. Variables of a function without references are
 * unused. Other code may be bound to a library. Messages that wait return to the code. */
static bool is_evictable(const tc_ifunc *fn)
{
    return fn->state == TCI_LOADED && fn->unit != NULL && fn->library == NULL &&
           fn->held == NULL &&
           (fn->references == 0 || !fn->registry->loading->has_state(fn->unit));
}

/* No handle is open, so eviction frees its index, too. */
static bool is_only_bound(const tc_ifunc *fn)
{
    return is_evictable(fn) && fn->references == fn->bound;
}

bool tci_registry_is_stuck(const tc_ifunc *fn)
{
    return fn->references == fn->bound && !is_evictable(fn); /* a library has one more */
}

/* Excludes functions that are being tiered up, and those with code that a peer may ask for. */
static bool may_be_evicted(const tc_ifunc *fn)
{
    bool at_work = fn->job != NULL && fn->registry->loading->is_begun(fn->job);
    return !at_work && !is_wanted(fn);
}

/* Finds the least recently used function: within two rounds, as the first one may find calls
 * of all. *later_out: a function may leave, now or later. */
static tc_ifunc *find_victim(tci_registry *registry, const tc_ifunc *keep,
                             bool (*may_leave)(const tc_ifunc *fn), bool *later_out)
{
    const size_t count = registry->code.count;
    *later_out = false;
    for (size_t passed = 0; passed < (*later_out ? 2 : 1) * count; passed++) {
        tc_ifunc *fn = oldest(&registry->code, offsetof(tc_ifunc, code_link));
        TCI_INVARIANT(fn_code, fn->unit != NULL);
        const bool leaves = fn != keep && may_leave(fn);
        *later_out |= leaves;
        if (leaves && take_calls(fn))
            continue;
        if (leaves && may_be_evicted(fn))
            return fn;
        tci_use_order_renew(&registry->code, &fn->code_link);
    }
    return NULL;
}

void tci_registry_evict(tc_ifunc *fn)
{
    const tci_registry *registry = fn->registry;
    TC_LOG(TC_LOG_DEBUG, "%s: evicted, code takes %llu bytes", tci_archive_name(fn->archive),
           (unsigned long long)registry->code_memory);
    fn->references++;
    registry->events->evict(registry->events_user, fn);
    fn->references--;
    tci_ifunc_load_undo(fn);
    if (fn->references == 0)
        remove_function(fn);
}

/* --- indices ----------------------------------------------------------------------------- */

/* Frees an index. `evicting`: if necessary, by evicting a function that peers may still
 * call. Returns whether one is free. */
static bool free_place(tci_registry *registry, bool evicting)
{
    bool later;
    tc_ifunc *fn = find_idle(registry);
    if (fn != NULL)
        remove_function(fn);
    else if (evicting && (fn = find_victim(registry, NULL, is_only_bound, &later)) != NULL)
        tci_registry_evict(fn);
    return fn != NULL;
}

static tc_status take_index(tci_registry *registry, bool evicting, uint16_t *index_out,
                            tc_error *err)
{
    size_t max = registry->options->functions_max;
    if (registry->count == max)
        (void)free_place(registry, evicting);
    if (registry->count == max)
        return tci_error_set(err, TC_E_TOO_LARGE,
                             "all %zu functions of option functions_max are in use", max);
    if (registry->count == registry->capacity && !tci_registry_table_grow(registry))
        return tci_error_set(err, TC_E_NO_MEMORY, "function table: out of memory");
    size_t index = registry->used_below;
    while (registry->table[index] != NULL)
        index++;
    registry->used_below = index;
    *index_out = (uint16_t)index;
    return TC_OK;
}

/* An archive's bytes are bounded, too: it may have 1,024 times as many unpacked. */
tc_status tci_registry_insert(tci_registry *registry, tc_ifunc *fn, bool arrived, tc_error *err)
{
    const struct tc_options *o = registry->options; /* an archive of the largest size fits */
    const uint64_t max = TCI_ARCHIVE_SHARES_MAX * o->code_memory_max + o->code_bytes_max +
                         TCI_ARCHIVE_CONTENT_MAX;
    while (fn->arrived_bytes > 0 && registry->arrived_memory + fn->arrived_bytes > max) {
        if (!free_place(registry, true))
            return tci_error_set(
                err, TC_E_TOO_LARGE, "%llu bytes of peers' archives, expected %llu at most",
                (unsigned long long)(registry->arrived_memory + fn->arrived_bytes),
                (unsigned long long)max);
    }
    TC_TRY(take_index(registry, arrived, &fn->index, err));
    TCI_INVARIANT(fn_bucket, tci_registry_find(registry, &fn->id) == NULL);
    TCI_INVARIANT_IS(fn_capacity, fn->index, <, registry->capacity);
    TCI_INVARIANT(fn_table, registry->table[fn->index] == NULL);
    const tci_frame call = {.slot = fn->index, .kind = TCI_FRAME_CALL};
    fn->call_word = tci_frame_word(&call);
    tc_ifunc **bucket = tci_registry_table_bucket(registry, &fn->id);
    fn->bucket_next = *bucket;
    *bucket = fn;
    registry->table[fn->index] = fn;
    registry->count++;
    registry->arrived_memory += fn->arrived_bytes;
    return TC_OK;
}

void tci_registry_retain(tc_ifunc *fn)
{
    TCI_INVARIANT_IS(fn_references, fn->references, >=, fn->bound);
    if (fn->references == 0)
        tci_use_order_remove(&fn->registry->idle, &fn->idle_link);
    fn->references++;
}

void tci_registry_release(tc_ifunc *fn)
{
    TCI_INVARIANT_IS(fn_references, fn->references, >, fn->bound);
    fn->references--;
    tci_registry_note_use(fn);
    if (fn->references > 0)
        return;
    TCI_INVARIANT(fn_idle, !tci_use_order_has(&fn->idle_link));
    tci_use_order_add(&fn->registry->idle, &fn->idle_link);
    (void)is_wanted(fn); /* so that endpoints note now if they have run all messages */
    tci_ifunc_load_forget_shortage(fn);
}

/* --- the bound of code ------------------------------------------------------------------- */

static uint64_t own_memory(const tc_ifunc *fn)
{
    return fn->unit == NULL ? 0 : tci_registry_unit_bytes(fn) + fn->code_bytes;
}

uint64_t tci_registry_kept_bytes(const tc_ifunc *fn)
{
    return is_evictable(fn) ? 0 : own_memory(fn);
}

/* Returns the error for the case that no more functions can be evicted. */
static tc_status full(const tci_registry *registry, const tc_ifunc *keep, tc_error *err)
{
    uint64_t max = registry->options->code_memory_max;
    if (keep == NULL || own_memory(keep) > max)
        return tci_error_set(
            err, TC_E_TOO_LARGE, "code takes %llu bytes, option code_memory_max is %llu",
            (unsigned long long)registry->code_memory, (unsigned long long)max);
    return tci_error_set(err, TC_E_NO_MEMORY,
                         "code takes %llu bytes with that of others which cannot leave, option "
                         "code_memory_max is %llu",
                         (unsigned long long)registry->code_memory, (unsigned long long)max);
}

tc_status tci_registry_trim(tci_registry *registry, const tc_ifunc *keep, tc_error *err)
{
    uint64_t max = registry->options->code_memory_max;
    while (registry->code_memory > max) {
        bool later;
        tc_ifunc *fn = find_victim(registry, keep, is_evictable, &later);
        if (fn == NULL && later)
            return TC_OK; /* slightly above the bound until then */
        if (fn == NULL)
            return full(registry, keep, err);
        tci_registry_evict(fn);
    }
    return TC_OK;
}

/* Refuses code that does not fit. Code that was sent ahead counts, too, though it has no calls
 * yet. */
static void keep_if_it_fits(tc_ifunc *fn)
{
    tc_error error;
    if (fn->state == TCI_LOADED && tci_registry_trim(fn->registry, fn, &error) != TC_OK) {
        tci_error_prefix(&error, "%s", tci_archive_name(fn->archive));
        tci_ifunc_load_refuse(fn, &error);
    }
}

void tci_registry_take_finished(tci_registry *registry)
{
    tc_ifunc *next;
    for (tc_ifunc *fn = registry->jobs; fn != NULL; fn = next) {
        next = fn->job_next;
        tci_load_end end = tci_ifunc_load_take_finished(fn);
        if (end == TCI_LOAD_UNDER_WAY)
            continue;
        if (end == TCI_LOAD_ENDED)
            keep_if_it_fits(fn);
        if (end != TCI_TIER_UP_FAILED)
            tci_ifunc_load_announce(fn, end == TCI_TIER_UP_ENDED);
        next = registry->jobs; /* the list may have changed */
    }
    tc_error error;
    if (tci_registry_trim(registry, NULL, &error) != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "%s", error.text);
}
