#include "call_times.h"

#include <stdlib.h>

#define NS_PER_MS 1e6

bool call_times_add(call_times *times, uint64_t ns)
{
    if (times->count == times->room) {
        size_t room = times->room == 0 ? 256 : 2 * times->room;
        uint64_t *grown = realloc(times->ns, room * sizeof *grown);
        if (grown == NULL)
            return false;
        times->ns = grown;
        times->room = room;
    }
    times->ns[times->count++] = ns;
    return true;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The smallest value that `percent` of all do not exceed. */
static double rank_ms(const uint64_t *sorted, size_t count, size_t percent)
{
    return (double)sorted[(count * percent + 99) / 100 - 1] / NS_PER_MS;
}

call_summary call_times_summarise_cached(call_times *times)
{
    call_summary summary = {0};
    if (times->count < 2)
        return summary;
    uint64_t *cached = times->ns + 1, sum_ns = 0;
    size_t count = times->count - 1;
    qsort(cached, count, sizeof *cached, compare);
    for (size_t i = 0; i < count; i++)
        sum_ns += cached[i];
    summary.count = count;
    summary.p50_ms = rank_ms(cached, count, 50);
    summary.p99_ms = rank_ms(cached, count, 99);
    summary.mean_ms = (double)sum_ns / (double)count / NS_PER_MS;
    return summary;
}

void call_times_fini(call_times *times)
{
    free(times->ns);
    *times = (call_times){0};
}
