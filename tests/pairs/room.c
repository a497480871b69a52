/* A library that uses another one, with the prototype of the first version. */
#include "shapes.h"

double room_area(double side)
{
    return area(side, side);
}
