/* The kernel of a task: multiplications and additions in registers, and a result that counts
 * them. */
#ifndef TC_METG_KERNEL_H
#define TC_METG_KERNEL_H

#include <stdint.h>

#define METG_KERNEL_LANES 32u                     /* numbers that it advances */
#define METG_KERNEL_FLOPS (2 * METG_KERNEL_LANES) /* of one iteration */

/* Returns METG_KERNEL_LANES * (start + iterations), and 0 for no iterations: every lane begins
 * with `start` (below 2^20), and each iteration multiplies it by one and adds one. The factors
 * are not known to the compiler. */
extern uint64_t (*metg_kernel)(uint64_t start, uint64_t iterations);

/* Chooses the widest form that this processor runs, and returns its name. */
const char *metg_kernel_choose(void);

/* The time of one iteration of many, in nanoseconds: the least of several tries. */
double metg_kernel_measure(void);

#endif
