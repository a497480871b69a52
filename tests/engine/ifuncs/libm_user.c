/* A library that the .deps list names. */
#include <math.h>
#include <stddef.h>

void libm_user_main(void *payload, size_t payload_size, void *target_args)
{
    double *x = payload;
    (void)payload_size;
    *(double *)target_args = lgamma(x[0]) + cbrt(x[1]) + fma(x[0], x[1], 1.0);
}
