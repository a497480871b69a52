/* Remote functions with several arrays, texts, structs and answers: tc-clang makes callers and
 * entries of it (docs/stubs.md). several_by_hand.h has the same functions without stubs, and
 * the files of other languages have them, too. */
#ifndef PAIRS_SEVERAL_H
#define PAIRS_SEVERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/remote.h>

struct limits {
    double low, high;
};
struct tally {
    double sum;
    int32_t count;
};
struct point {
    int16_t x, y;
};

/* Returns the sum of the numbers of `a` within the limits. Doubles `values` if `twice`. The
 * tally has their sum before, and the number of the name's bytes; `codes` these bytes, and -1
 * behind them. */
TC_REMOTE double blend(struct limits limits, const char *name, TC_COUNT(n) const double *a,
                       size_t n, TC_COUNT(m) float *values, size_t m,
                       TC_OUT struct tally *tally, TC_OUT TC_COUNT(k) int32_t *codes, size_t k,
                       bool twice);

/* The points of these numbers, multiplied; a point {0, 0} where there is no such point. */
TC_REMOTE void gather(TC_COUNT(n) const uint16_t *which, size_t n, uint8_t factor,
                      TC_COUNT(m) const struct point *points, size_t m,
                      TC_OUT TC_COUNT(k) struct point *found, size_t k);

/* One text behind the other, and zero bytes behind both. */
TC_REMOTE void join(const char *first, const char *second, TC_OUT TC_COUNT(k) uint8_t *both,
                    size_t k, bool swapped);

#define PAIRS_BLEND "({f64,f64},text,f64[],inout f32[],out {f64,i32},out i32[],bool)->f64"
#define PAIRS_GATHER "(u16[],u8,{i16,i16}[],out {i16,i16}[])"
#define PAIRS_JOIN "(text,text,out u8[],bool)"

#endif
