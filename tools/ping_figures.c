#include "ping_figures.h"

#include <stdlib.h>

void ping_figures_add(ping_figures *figures, uint64_t ns)
{
    if (figures->answered == 0 || ns < figures->min_ns)
        figures->min_ns = ns;
    if (ns > figures->max_ns)
        figures->max_ns = ns;
    figures->sum_ns += (double)ns;
    figures->kept_ns[figures->answered++ % PING_FIGURES_KEPT] = ns;
}

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

uint64_t ping_figures_p99(ping_figures *figures)
{
    const uint64_t kept =
        figures->answered < PING_FIGURES_KEPT ? figures->answered : PING_FIGURES_KEPT;
    if (kept == 0)
        return 0;
    qsort(figures->kept_ns, (size_t)kept, sizeof figures->kept_ns[0], compare);
    return figures->kept_ns[(kept * 99 + 99) / 100 - 1]; /* the nearest rank */
}
