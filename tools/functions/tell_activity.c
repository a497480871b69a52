/* The function that tc-info --watch sends to a node: replies with the node's counters and
 * usage. */
#include "../node_activity.h"
#include "../node_holdings.h"

#include <stdlib.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/entry.h>
#include <tc/usage.h>
#include <time.h>

/* The entries of a kind that are kept: all, or those with the most calls. */
typedef struct table {
    node_activity_entry *entries;
    size_t max;
    size_t count;
    size_t least; /* index of the one to give up next, when all are taken */
    uint64_t left_out;
} table;

typedef struct tables {
    table of[NODE_ACTIVITY_KINDS];
} tables;

static void find_least(table *t)
{
    t->least = 0;
    for (size_t i = 1; i < t->count; i++) {
        if (t->entries[i].calls < t->entries[t->least].calls)
            t->least = i;
    }
}

static void copy_text(char out[NODE_ACTIVITY_TEXT_MAX], const char *text)
{
    strncpy(out, text, NODE_ACTIVITY_TEXT_MAX - 1);
}

static void describe(const tc_usage_entry *entry, node_activity_entry *out)
{
    memset(out, 0, sizeof *out);
    copy_text(out->name, entry->name);
    copy_text(out->identity, entry->identity);
    if (entry->id != NULL)
        memcpy(out->id, entry->id, sizeof out->id);
    out->kind = (uint32_t)entry->kind;
    out->peer = entry->peer;
    out->is_other = entry->is_other;
    out->peers = entry->peers;
    out->calls = entry->calls;
    out->bytes = entry->bytes;
    out->turns = entry->turns;
    out->turns_full = entry->turns_full;
    out->refusals = entry->refusals;
    out->evictions = entry->evictions;
    out->timed = entry->timed;
    out->time_ns = entry->time_ns;
    out->p50_ns = entry->p50_ns;
    out->p99_ns = entry->p99_ns;
}

/* A library of another version may have another struct. */
static void keep(void *user, const tc_usage_entry *entry)
{
    if (entry->struct_size < sizeof *entry || (uint32_t)entry->kind >= NODE_ACTIVITY_KINDS)
        return;
    table *t = &((tables *)user)->of[entry->kind];
    if (t->count < t->max) {
        describe(entry, &t->entries[t->count++]);
        if (t->count == t->max)
            find_least(t);
        return;
    }
    t->left_out++;
    if (!entry->is_other && entry->calls <= t->entries[t->least].calls)
        return;
    describe(entry, &t->entries[t->least]);
    find_least(t);
}

static void take_usage(tc_context *ctx, node_activity_head *head, node_activity_entry *entries)
{
    static const size_t max[NODE_ACTIVITY_KINDS] = {
        NODE_ACTIVITY_FUNCTIONS_MAX, NODE_ACTIVITY_PEERS_MAX, NODE_ACTIVITY_IDENTITIES_MAX};
    tables kept = {0};
    node_activity_entry *at = entries;
    for (size_t kind = 0; kind < NODE_ACTIVITY_KINDS; kind++) {
        kept.of[kind] = (table){.entries = at, .max = max[kind]};
        at += max[kind];
    }
    head->has_usage = tc_usage_visit(ctx, keep, &kept) == TC_OK;
    for (size_t kind = 0; kind < NODE_ACTIVITY_KINDS; kind++) {
        const table *t = &kept.of[kind];
        memmove(entries + head->entries, t->entries, t->count * sizeof *t->entries);
        head->entries += t->count;
        head->left_out[kind] = t->left_out;
    }
}

static void reply(tc_context *ctx, node_activity_head *head)
{
    uint64_t *counters = (uint64_t *)(head + 1);
    const size_t count = tc_stats_count();
    struct timespec now;
    size_t packages_size = 0;
    (void)tc_self_data(NODE_HOLDINGS_PACKAGES, &packages_size);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    head->clock_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    head->counters =
        count < NODE_ACTIVITY_COUNTERS_MAX ? count : (size_t)NODE_ACTIVITY_COUNTERS_MAX;
    head->libraries = tc_library_list(ctx, NULL, 0);
    head->packages = packages_size / sizeof(node_holdings_package);
    for (size_t i = 0; i < head->counters; i++)
        counters[i] = tc_stats_value(ctx, i);
    node_activity_entry *entries = (node_activity_entry *)(counters + head->counters);
    take_usage(ctx, head, entries);
    (void)tc_reply(head, (size_t)((char *)(entries + head->entries) - (char *)head));
}

void tell_activity_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload, (void)payload_size, (void)target_args;
    node_activity_head *head = malloc(NODE_ACTIVITY_BYTES_MAX);
    if (head == NULL) {
        (void)tc_reply_error(TC_E_NO_MEMORY, "tell_activity: out of memory");
        return;
    }
    memset(head, 0, sizeof *head);
    reply(tc_ep_context(tc_self_endpoint()), head);
    free(head);
}
