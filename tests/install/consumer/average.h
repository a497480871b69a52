/* A remote function. */
#ifndef AVERAGE_H
#define AVERAGE_H

#include <stddef.h>
#include <tc/remote.h>

TC_REMOTE double average(TC_COUNT(n) const double *values, size_t n);

#endif
