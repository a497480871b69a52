/* The function total of Functions.jl in C. */
#include <tc/entry.h>

TC_PROTOTYPE(total_in_c, "(f64[])->f64");

void total_in_c_main(void *payload, size_t payload_size, void *target_args)
{
    const double *values = payload;
    double sum = 0;
    (void)target_args;
    for (size_t i = 0; i < payload_size / sizeof *values; i++)
        sum += values[i];
    (void)tc_reply(&sum, sizeof sum);
}
