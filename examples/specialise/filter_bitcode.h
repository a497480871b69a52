/* The bitcode of `filter` for each architecture. A source that the build makes defines it. */
#ifndef FILTER_BITCODE_H
#define FILTER_BITCODE_H

#include <tc/ifunc.h>

#define FILTER_SLICES 2u

extern const tc_bitcode filter_slices[FILTER_SLICES];

#endif
