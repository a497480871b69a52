/* The sum of an array: of double, or of float with another prototype. */
#include <tc/entry.h>

#ifdef ELEMENT_f32
typedef float element;
TC_PROTOTYPE(total, "(f32[])->f64");
#else
typedef double element;
TC_PROTOTYPE(total, "(f64[])->f64");
#endif

void total_main(void *payload, size_t size, void *target_args)
{
    const element *values = payload;
    double sum = 0;
    (void)target_args;
    if (size % sizeof *values != 0) {
        tc_self_fail(TC_E_INVALID, "the payload has no whole number of elements");
        return;
    }
    for (size_t i = 0; i < size / sizeof *values; i++)
        sum += (double)values[i];
    tc_reply(&sum, sizeof sum);
}
