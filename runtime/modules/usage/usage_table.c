#include "modules/usage/usage_table.h"

#include "base/assertion.h"
#include "base/error_text.h"

#include <stdlib.h>
#include <string.h>

/* Returns NULL without memory. The entry is not in a table yet. */
static tci_usage_item *make(const tci_usage *u, const char *name)
{
    const size_t size = strlen(name) + 1;
    tci_usage_item *item = calloc(1, sizeof *item + size);
    if (item == NULL)
        return NULL;
    memcpy(item->name, name, size);
    item->until = item->period = 1;
    if (u->times && (item->times = calloc(1, sizeof *item->times)) == NULL) {
        free(item);
        return NULL;
    }
    return item;
}

static void free_item(tci_usage_item *item)
{
    if (item != NULL)
        free(item->times);
    free(item);
}

static bool has_capacity(tci_usage_table *table)
{
    if (table->count < table->capacity)
        return true;
    if (table->count == table->max)
        return false;
    size_t capacity = table->capacity == 0 ? 16 : 2 * table->capacity;
    capacity = capacity < table->max ? capacity : table->max;
    tci_usage_item **items =
        realloc(table->items, capacity * sizeof *items); /* bound: TC_USAGE_FUNCTIONS_MAX */
    if (items == NULL)
        return false;
    table->items = items;
    table->capacity = capacity;
    return true;
}

/* Makes an entry and enters it in its table; returns "other" where that is not possible. The
 * lock is held. */
static tci_usage_item *enter(tci_usage *u, tc_usage_kind kind, const char *name)
{
    tci_usage_table *table = &u->tables[kind];
    tci_usage_item *item = has_capacity(table) ? make(u, name) : NULL;
    if (item == NULL)
        return table->other;
    item->index = table->count;
    table->items[table->count++] = item;
    TCI_INVARIANT(usage_index, table->count <= table->max && table->items[item->index] == item);
    return item;
}

tc_status tci_usage_table_init(tci_usage *u, tc_error *err)
{
    static const size_t max[TCI_USAGE_KINDS] = {[TC_USAGE_FUNCTION] = TC_USAGE_FUNCTIONS_MAX,
                                                [TC_USAGE_PEER] = TC_USAGE_PEERS_MAX,
                                                [TC_USAGE_IDENTITY] = TC_USAGE_IDENTITIES_MAX};
    u->has_lock = pthread_mutex_init(&u->lock, NULL) == 0;
    bool ok = u->has_lock;
    for (size_t kind = 0; kind < TCI_USAGE_KINDS; kind++) {
        u->tables[kind].max = max[kind];
        u->tables[kind].other = make(u, "other");
        if (u->tables[kind].other != NULL)
            u->tables[kind].other->is_other = true;
        ok = ok && u->tables[kind].other != NULL;
    }
    if (!ok)
        return tci_error_set(err, TC_E_NO_MEMORY, "usage: out of memory");
    u->tables[TC_USAGE_PEER].other->identity = u->tables[TC_USAGE_IDENTITY].other;
    return TC_OK;
}

void tci_usage_table_fini(tci_usage *u)
{
    for (size_t kind = 0; kind < TCI_USAGE_KINDS; kind++) {
        for (size_t i = 0; i < u->tables[kind].count; i++)
            free_item(u->tables[kind].items[i]);
        free(u->tables[kind].items);
        free_item(u->tables[kind].other);
    }
    if (u->has_lock)
        (void)pthread_mutex_destroy(&u->lock);
}

/* --- functions --------------------------------------------------------------------------- */

static tci_usage_item **bucket_of(tci_usage *u, const tci_content_id *id)
{
    uint32_t word;
    memcpy(&word, id->bytes, sizeof word);
    return &u->buckets[word % TCI_USAGE_BUCKETS];
}

static tci_usage_item *find_function(tci_usage *u, const tci_content_id *id)
{
    tci_usage_item *item = *bucket_of(u, id);
    while (item != NULL && !tci_content_id_equal(&item->id, id))
        item = item->bucket_next;
    return item;
}

tci_usage_item *tci_usage_table_new_function(tci_usage *u, tc_ifunc *fn)
{
    tci_usage_item *item = find_function(u, &fn->id);
    if (item == NULL) {
        (void)pthread_mutex_lock(&u->lock);
        item = enter(u, TC_USAGE_FUNCTION, tci_archive_name(fn->archive));
        if (!item->is_other) {
            tci_usage_item **bucket = bucket_of(u, &fn->id);
            item->id = fn->id;
            item->has_id = true;
            item->bucket_next = *bucket;
            *bucket = item;
        }
        (void)pthread_mutex_unlock(&u->lock);
    }
    return fn->usage = item;
}

tci_usage_item *tci_usage_table_injected(tci_usage *u)
{
    if (u->injected == NULL) {
        (void)pthread_mutex_lock(&u->lock);
        u->injected = enter(u, TC_USAGE_FUNCTION, "injected");
        (void)pthread_mutex_unlock(&u->lock);
    }
    return u->injected;
}

/* --- peers and identities ---------------------------------------------------------------- */

/* The lock is held. */
static tci_usage_item *find_identity(tci_usage *u, const char *name)
{
    const tci_usage_table *table = &u->tables[TC_USAGE_IDENTITY];
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->items[i]->name, name) == 0)
            return table->items[i];
    }
    return enter(u, TC_USAGE_IDENTITY, name);
}

tci_usage_item *tci_usage_table_new_peer(tci_usage *u, tc_ep *ep)
{
    (void)pthread_mutex_lock(&u->lock);
    tci_usage_item *item =
        enter(u, TC_USAGE_PEER, ep->stream != NULL ? tci_stream_peer(ep->stream) : "");
    if (!item->is_other) {
        item->number = ep->connection;
        item->identity = find_identity(u, ep->peer.identity);
        item->identity->peers++;
        TCI_INVARIANT_IS(usage_peers, item->identity->peers, <=, TC_USAGE_PEERS_MAX);
    }
    ep->usage = item;
    (void)pthread_mutex_unlock(&u->lock);
    return item;
}

static void join(tci_usage_item *to, const tci_usage_item *from)
{
    tci_usage_table_add(&to->counts.calls, from->counts.calls);
    tci_usage_table_add(&to->counts.bytes, from->counts.bytes);
    tci_usage_table_add(&to->counts.turns, from->counts.turns);
    tci_usage_table_add(&to->counts.turns_full, from->counts.turns_full);
    tci_usage_table_add(&to->counts.refusals, from->counts.refusals);
    if (to->times != NULL && from->times != NULL)
        tci_usage_times_join(to->times, from->times);
}

void tci_usage_table_leave(tci_usage *u, tc_ep *ep)
{
    tci_usage_table *table = &u->tables[TC_USAGE_PEER];
    tci_usage_item *item = ep->usage;
    ep->usage = NULL;
    if (item->is_other)
        return;
    (void)pthread_mutex_lock(&u->lock);
    join(table->other, item);
    TCI_INVARIANT_IS(usage_peers, item->identity->peers, >, 0);
    item->identity->peers--;
    TCI_INVARIANT(usage_index, table->items[item->index] == item);
    table->items[item->index] = table->items[--table->count];
    table->items[item->index]->index = item->index;
    free_item(item);
    (void)pthread_mutex_unlock(&u->lock);
}
