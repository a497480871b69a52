/* The function scaled_sum of exports.jl in C. */
#include <tc/entry.h>

double scaled(double x);

void scaled_in_c_main(void *payload, size_t payload_size, void *target_args)
{
    const double *values = payload;
    double sum = 0;
    (void)target_args;
    for (size_t i = 0; i < payload_size / sizeof *values; i++)
        sum += scaled(values[i]);
    (void)tc_reply(&sum, sizeof sum);
}
