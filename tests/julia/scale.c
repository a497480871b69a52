/* A library that travels: libraries.jl pushes it, and its function scaled_sum uses it. */
#include <tc/entry.h>

double scale_factor = 2;

double scaled(double x) TC_SYMBOL(scaled, "(f64)->f64");
double scaled(double x)
{
    return scale_factor * x;
}
