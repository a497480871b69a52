/* The sums as programs compute them: by the vectors that the processor has, as functions that
 * travel are made for them, too, and as MPI's own sums are. */
#ifndef TC_GAM_COMPUTE_H
#define TC_GAM_COMPUTE_H

#include <stdint.h>

/* As gam_sum. */
extern void (*gam_compute_sum)(int32_t *sums, const int32_t *values, int32_t *sums_out,
                               uint32_t count);
/* Absolute values alone. */
extern void (*gam_compute_absolute)(const int32_t *values, int32_t *values_out, uint32_t count);

/* Returns the name of the vectors. */
const char *gam_compute_choose(void);

#endif
