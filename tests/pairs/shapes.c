#include "shapes.h"

double area(shapes_number width, shapes_number height)
{
    return (double)width * (double)height;
}

int shapes_version(void)
{
    return SHAPES;
}
