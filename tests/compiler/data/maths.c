#include <math.h>
#include <stddef.h>

extern int host_hook(int) __attribute__((weak));

void maths_main(void *payload, size_t size, void *target_args)
{
    double *values = target_args;
    for (size_t i = 0; i < size / sizeof(double); i++)
        values[i] = cos(((double *)payload)[i]);
    if (host_hook != NULL)
        values[0] += host_hook(1);
}
