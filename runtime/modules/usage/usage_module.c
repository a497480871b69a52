/* The module usage, behind the socket core/usage_ops.h, and its public function. */
#include "base/clock.h"
#include "base/error_text.h"
#include "context/context_object.h"
#include "core/module.h"
#include "modules/usage/usage_run.h"

#include <stdlib.h>
#include <string.h>
#include <tc/usage.h>

static void add_refusal(tci_usage_item *item)
{
    if (item != NULL)
        tci_usage_table_add(&item->counts.refusals, 1);
}

static void note(tci_core *core, tc_ep *ep, tc_ifunc *fn, tci_usage_event event, uint64_t ns)
{
    tci_usage *u = tci_usage_table_of(core);
    tci_usage_item *function = fn != NULL ? tci_usage_table_function(u, fn) : NULL;
    tci_usage_item *peer = ep != NULL ? tci_usage_table_peer(u, ep) : NULL;
    switch (event) {
    case TCI_USAGE_REFUSED:
        add_refusal(function);
        add_refusal(peer);
        add_refusal(peer != NULL ? peer->identity : NULL);
        break;
    case TCI_USAGE_EVICTED:
        if (function != NULL)
            tci_usage_table_add(&function->counts.evictions, 1);
        break;
    case TCI_USAGE_LOADED:
        if (function != NULL) {
            tci_usage_table_add(&function->counts.loads, 1);
            tci_usage_table_add(&function->counts.load_ns, ns);
        }
        break;
    }
}

/* In a child of fork() the lock may be held by a thread that is not there; the table frees the
 * entry later. */
static void leave(tc_ep *ep)
{
    if (!tci_core_is_forked(ep->core))
        tci_usage_table_leave(tci_usage_table_of(ep->core), ep);
}

/* --- reading ----------------------------------------------------------------------------- */

#define TEXT_MAX (sizeof((tci_peer *)NULL)->identity)

/* An entry with the texts of a peer, which may leave when the lock is free again. */
typedef struct copied {
    tc_usage_entry entry;
    char name[TEXT_MAX];
} copied;

static uint64_t value_of(const uint64_t *number)
{
    return __atomic_load_n(number, __ATOMIC_RELAXED);
}

static void copy_times(const tci_usage_times *times, tc_usage_entry *entry)
{
    entry->timed = value_of(&times->timed);
    entry->time_ns = value_of(&times->time_ns);
    entry->p50_ns = tci_usage_times_percentile(times, 500);
    entry->p99_ns = tci_usage_times_percentile(times, 990);
}

static void copy_item(const tci_usage_item *item, tc_usage_kind kind, copied *c)
{
    const tci_usage_item *identity = kind == TC_USAGE_IDENTITY ? item
                                     : item->is_other          ? NULL
                                                               : item->identity;
    const size_t size = strnlen(item->name, sizeof c->name - 1);
    memcpy(c->name, item->name, size);
    c->name[size] = '\0';
    c->entry = (tc_usage_entry){.struct_size = sizeof c->entry,
                                .kind = kind,
                                .peer = item->number,
                                .name = c->name,
                                .id = item->has_id ? item->id.bytes : NULL,
                                .identity = identity != NULL ? identity->name : "",
                                .is_other = item->is_other,
                                .peers = kind == TC_USAGE_PEER ? !item->is_other : item->peers,
                                .calls = value_of(&item->counts.calls),
                                .bytes = value_of(&item->counts.bytes),
                                .turns = value_of(&item->counts.turns),
                                .turns_full = value_of(&item->counts.turns_full),
                                .loads = value_of(&item->counts.loads),
                                .load_ns = value_of(&item->counts.load_ns),
                                .refusals = value_of(&item->counts.refusals),
                                .evictions = value_of(&item->counts.evictions)};
    if (item->times != NULL)
        copy_times(item->times, &c->entry);
}

static bool is_zero(const tc_usage_entry *e)
{
    return (e->calls | e->loads | e->refusals | e->evictions) == 0;
}

/* "other" is copied first: so a peer that leaves meanwhile is never in both. */
static void visit_table(tci_usage *u, tc_usage_kind kind, tc_usage_visitor visit, void *user)
{
    const tci_usage_table *table = &u->tables[kind];
    copied other, c;
    bool more = true;
    (void)pthread_mutex_lock(&u->lock);
    copy_item(table->other, kind, &other);
    (void)pthread_mutex_unlock(&u->lock);
    for (size_t i = 0; more; i++) {
        (void)pthread_mutex_lock(&u->lock);
        more = i < table->count;
        if (more)
            copy_item(table->items[i], kind, &c);
        (void)pthread_mutex_unlock(&u->lock);
        if (more)
            visit(user, &c.entry);
    }
    if (!is_zero(&other.entry))
        visit(user, &other.entry);
}

tc_status tc_usage_visit(tc_context *ctx, tc_usage_visitor visit, void *user)
{
    if (ctx->core.usage == NULL)
        return TC_E_UNSUPPORTED;
    for (unsigned kind = 0; kind < TCI_USAGE_KINDS; kind++)
        visit_table(tci_usage_table_of(&ctx->core), (tc_usage_kind)kind, visit, user);
    return TC_OK;
}

/* --- the module -------------------------------------------------------------------------- */

static const tci_host_symbol symbols[] = {TCI_HOST_SYMBOL(tc_usage_visit)};

static tc_status attach(tci_core *core, tc_error *err)
{
    if (core->options.usage == TCI_USAGE_OFF)
        return TC_OK;
    tci_usage *u = calloc(1, sizeof *u);
    if (u == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "usage: out of memory");
    u->times = core->options.usage == TCI_USAGE_TIMES;
    u->random = tci_clock_ns() | 1;
    u->ops = (tci_usage_ops){.run = tci_usage_run_batch,
                             .call = tci_usage_run_call,
                             .injected = tci_usage_run_injected,
                             .note = note,
                             .leave = leave};
    tc_status status = tci_usage_table_init(u, err);
    if (status == TC_OK)
        status = tci_module_take((const void **)&core->usage, &u->ops, "usage", err);
    if (status != TC_OK) {
        tci_usage_table_fini(u);
        free(u);
        return status;
    }
    core->batch_watchers |= TCI_WATCHED_BY_USAGE;
    return TC_OK;
}

static void detach(tci_core *core)
{
    if (core->usage == NULL || core->usage->note != note)
        return;
    tci_usage *u = tci_usage_table_of(core);
    core->batch_watchers &= (uint8_t)~TCI_WATCHED_BY_USAGE;
    core->usage = NULL;
    tci_usage_table_fini(u);
    free(u);
}

const tci_module tci_usage_module = {.name = "usage",
                                     .attach = attach,
                                     .detach = detach,
                                     .symbols = symbols,
                                     .symbol_count = sizeof symbols / sizeof symbols[0]};
