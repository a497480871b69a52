/* A library that travels: libraries.jl pushes it, and its function scaled_sum uses it. */
double scale_factor = 2;

double scaled(double x);
double scaled(double x)
{
    return scale_factor * x;
}
