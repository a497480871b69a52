/* Remote functions with arguments of every kind. */
#ifndef DEEDS_H
#define DEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/remote.h>

struct limits {
    double low, high;
};

enum colour { RED, GREEN, BLUE };

typedef struct record {
    int16_t first;
    struct limits limits;
    uint8_t bytes[3];
    bool set;
} record;

TC_REMOTE double dot(TC_COUNT(n) const double *a, TC_COUNT(n) const double *b, size_t n);
TC_REMOTE void scale(TC_COUNT(n) float *values, size_t n, float factor);
TC_REMOTE int32_t find(const char *text, int32_t letter);
TC_REMOTE void measure(TC_COUNT(n) const double *values, size_t n,
                       TC_OUT struct limits *limits);
TC_REMOTE void nothing(void);
TC_REMOTE void note(const char *text, TC_COUNT(n) const uint8_t *bytes, uint16_t n);
TC_REMOTE bool flip(bool flag, enum colour colour, int64_t *count);
TC_REMOTE record change(record in, const record *other, record *both, TC_OUT record *out);
TC_REMOTE double blend(TC_COUNT(n) const double *a, double scale, TC_COUNT(n) float *b,
                       size_t n, const char *label, TC_OUT struct limits *limits,
                       TC_OUT TC_COUNT(m) int32_t *found, uint32_t m, bool flag);
TC_REMOTE void turn(const double in[3], double both[3], TC_OUT double out[3]);
TC_REMOTE void squares(TC_OUT TC_COUNT(n) uint64_t *out, uint32_t n);
TC_REMOTE uint64_t lengths(const char *first, const char *second, uint8_t err, float tc_x);
TC_REMOTE uint8_t gaps(TC_COUNT(n) uint8_t *bytes, size_t n, TC_OUT TC_COUNT(m) double *out,
                       size_t m, TC_COUNT(k) int16_t *last, uint32_t k,
                       TC_OUT int32_t *untouched);
TC_REMOTE int64_t mix(int8_t a, uint16_t b, int32_t c, uint64_t d, float e);

#endif
