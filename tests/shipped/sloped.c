/* A line with holes of both kinds, for callers in every language. */
#include <stdint.h>
#include <string.h>
#include <tc/call.h>
#include <tc/entry.h>

TC_HOLE(slope, double);
TC_HOLE(rise, int32_t);
TC_PROTOTYPE(sloped, "(f64)->f64");

void sloped_main(void *payload, size_t payload_size, void *target_args)
{
    double x;
    (void)target_args;
    if (payload_size < sizeof x)
        return;
    memcpy(&x, payload, sizeof x);
    x = slope * x + rise;
    (void)!tc_reply(&x, sizeof x);
}
