/* The graph of connections of each pattern. */
#include "scale.h"

#include <string.h>

static const char *const names[] = {"tree", "star", "near", "group"};

const char *scale_pattern_name(scale_pattern pattern)
{
    return names[pattern];
}

bool scale_pattern_of(const char *name, scale_pattern *pattern_out)
{
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            *pattern_out = (scale_pattern)i;
            return true;
        }
    }
    return false;
}

/* In `near` each node is connected to so many before and as many behind it, in a circle. */
static unsigned reach(const scale_plan *p)
{
    return p->degree / 2;
}

unsigned scale_parent(const scale_plan *p, unsigned number)
{
    if (number == 0)
        return 0;
    if (p->pattern == SCALE_TREE)
        return (number - 1) / p->degree;
    if (p->pattern != SCALE_NEAR)
        return 0;
    if (number <= p->nodes / 2)
        return number > reach(p) ? number - reach(p) : 0;
    return number + reach(p) < p->nodes ? number + reach(p) : 0;
}

unsigned scale_targets(const scale_plan *p, unsigned number)
{
    if (p->pattern == SCALE_NEAR)
        return reach(p);
    return number > 0;
}

unsigned scale_target(const scale_plan *p, unsigned number, unsigned index)
{
    if (p->pattern == SCALE_NEAR)
        return (number + index + 1) % p->nodes;
    return scale_parent(p, number);
}

unsigned scale_degree(const scale_plan *p, unsigned number)
{
    switch (p->pattern) {
    case SCALE_NEAR:
        return 2 * reach(p);
    case SCALE_TREE: {
        const uint64_t first = (uint64_t)number * p->degree + 1;
        const uint64_t children = first >= p->nodes              ? 0
                                  : first + p->degree > p->nodes ? p->nodes - first
                                                                 : p->degree;
        return (unsigned)children + (number > 0);
    }
    case SCALE_STAR:
    case SCALE_GROUP:
        break;
    }
    return number > 0 ? 1 : p->nodes - 1;
}

unsigned scale_rack(const scale_plan *p, unsigned number)
{
    return number / p->per_host / p->rack_hosts;
}

unsigned scale_doomed_rack(const scale_plan *p)
{
    return (scale_rack(p, p->nodes - 1) + 1) / 2;
}
