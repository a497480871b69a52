/* A library that states the prototypes of its functions, in three versions of the header: 1
 * measures numbers of 64 bits, 2 of 32 bits, and 3 states nothing. */
#ifndef SHAPES_H
#define SHAPES_H

#include <tc/entry.h>

#if SHAPES == 2
typedef float shapes_number;
#else
typedef double shapes_number;
#endif

#if SHAPES == 1
double area(shapes_number width, shapes_number height) TC_SYMBOL(area, "(f64,f64)->f64");
#elif SHAPES == 2
double area(shapes_number width, shapes_number height) TC_SYMBOL(area, "(f32,f32)->f64");
#else
double area(shapes_number width, shapes_number height);
#endif
int shapes_version(void);

#endif
