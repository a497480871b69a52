#include "metg_curve.h"

#include <math.h>

double metg_curve_cross(const metg_point *points, size_t count, double part, bool *is_bound_out)
{
    size_t last = count;
    *is_bound_out = false;
    for (size_t i = 0; i < count; i++) {
        if (points[i].efficiency >= part)
            last = i;
    }
    if (last == count)
        return 0;
    const metg_point *above = &points[last], *below = above + 1;
    if (last + 1 == count) {
        *is_bound_out = true;
        return above->granularity_ns;
    }
    const double share = (above->efficiency - part) / (above->efficiency - below->efficiency);
    return above->granularity_ns * pow(below->granularity_ns / above->granularity_ns, share);
}
