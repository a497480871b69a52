/* The minimum effective task granularity, METG: the smallest time per task at which a part of
 * the peak rate is still reached. */
#ifndef TC_METG_CURVE_H
#define TC_METG_CURVE_H

#include <stdbool.h>
#include <stddef.h>

/* Runs of one number of iterations. */
typedef struct metg_point {
    double granularity_ns; /* elapsed time, times ranks, by tasks */
    double efficiency;     /* of the peak rate, 0 to 1 */
} metg_point;

/* Returns the granularity at which the efficiency falls below `part`, between the last point
 * that reaches it and its successor: both axes are linear in the logarithm of the granularity.
 *
 *   points  from large tasks to small ones
 *
 * 0: no point reaches `part`. If all do, it is the last point's granularity, which METG is at
 * most; *is_bound_out is then true. */
double metg_curve_cross(const metg_point *points, size_t count, double part,
                        bool *is_bound_out);

#endif
