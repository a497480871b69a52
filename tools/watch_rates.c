#include "watch_rates.h"

#include <stdlib.h>
#include <string.h>

static double rate(uint64_t before, uint64_t now, double seconds)
{
    return seconds > 0 && now > before ? (double)(now - before) / seconds : 0;
}

static bool is_same(const node_activity_entry *a, const node_activity_entry *b)
{
    return a->kind == b->kind && a->is_other == b->is_other && a->peer == b->peer &&
           memcmp(a->id, b->id, sizeof a->id) == 0 && strcmp(a->name, b->name) == 0;
}

static const node_activity_entry *find(const watch_sample *sample,
                                       const node_activity_entry *wanted)
{
    for (uint64_t i = 0; sample->is_there && i < sample->activity.head.entries; i++) {
        if (is_same(&sample->activity.entries[i], wanted))
            return &sample->activity.entries[i];
    }
    return NULL;
}

static watch_row row_of(const watch_sample *before, const node_activity_entry *entry,
                        double seconds)
{
    static const node_activity_entry none;
    const node_activity_entry *earlier = find(before, entry);
    if (earlier == NULL)
        earlier = &none;
    return (watch_row){
        .entry = entry,
        .calls = rate(earlier->calls, entry->calls, seconds),
        .bytes = rate(earlier->bytes, entry->bytes, seconds),
        .turns = rate(earlier->turns, entry->turns, seconds),
        .busy = rate(earlier->time_ns, entry->time_ns, seconds) / 1e9,
    };
}

static int compare(const void *a, const void *b)
{
    const watch_row *left = a, *right = b;
    if (left->entry->is_other != right->entry->is_other)
        return left->entry->is_other ? 1 : -1;
    if (left->calls != right->calls)
        return left->calls < right->calls ? 1 : -1;
    return (left->entry->calls < right->entry->calls) -
           (left->entry->calls > right->entry->calls);
}

void watch_rates_compute(const watch_sample *before, const watch_sample *now,
                         watch_rates *rates_out)
{
    const node_activity *a = &now->activity;
    rates_out->seconds = before->is_there && a->head.clock_ns > before->activity.head.clock_ns
                             ? (double)(a->head.clock_ns - before->activity.head.clock_ns) / 1e9
                             : 0;
    memset(rates_out->counts, 0, sizeof rates_out->counts);
    for (uint64_t i = 0; i < a->head.counters; i++)
        rates_out->counters[i] =
            before->is_there && i < before->activity.head.counters
                ? rate(before->activity.counters[i], a->counters[i], rates_out->seconds)
                : 0;
    for (uint64_t i = 0; i < a->head.entries; i++) {
        const uint32_t kind = a->entries[i].kind;
        rates_out->rows[kind][rates_out->counts[kind]++] =
            row_of(before, &a->entries[i], rates_out->seconds);
    }
    for (size_t kind = 0; kind < NODE_ACTIVITY_KINDS; kind++)
        qsort(rates_out->rows[kind], rates_out->counts[kind], sizeof(watch_row), compare);
}
