/* Compiled for processes that call these functions here, and for tc-clang. */
#include "deeds.h"

#include <string.h>
#include <tc/entry.h>

double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

void scale(float *values, size_t n, float factor)
{
    for (size_t i = 0; i < n; i++)
        values[i] *= factor;
}

int32_t find(const char *text, int32_t letter)
{
    const char *at = strchr(text, letter);
    return at != NULL ? (int32_t)(at - text) : -1;
}

void measure(const double *values, size_t n, struct limits *limits)
{
    limits->low = n > 0 ? values[0] : -1;
    limits->high = limits->low;
    for (size_t i = 0; i < n; i++) {
        limits->low = values[i] < limits->low ? values[i] : limits->low;
        limits->high = values[i] > limits->high ? values[i] : limits->high;
    }
}

void nothing(void)
{
}

/* Counts in the memory that the target publishes. */
void note(const char *text, const uint8_t *bytes, uint16_t n)
{
    uint64_t *noted = tc_self_data("noted", NULL);
    if (noted == NULL)
        return;
    *noted += strlen(text);
    for (uint16_t i = 0; i < n; i++)
        *noted += bytes[i];
}

bool flip(bool flag, enum colour colour, int64_t *count)
{
    *count = (int64_t)((uint64_t)colour - (uint64_t)*count);
    return !flag;
}

record change(record in, const record *other, record *both, record *out)
{
    *out = *other;
    out->first = (int16_t)(in.first ^ both->first);
    both->limits.high += other->limits.low;
    in.set = !in.set;
    return in;
}

double blend(const double *a, double scale, float *b, size_t n, const char *label,
             struct limits *limits, int32_t *found, uint32_t m, bool flag)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        b[i] += (float)(scale * a[i]);
        sum += (double)b[i];
    }
    *limits = (struct limits){sum, flag ? 1 : 0};
    for (uint32_t i = 0; i < m; i++)
        found[i] = i < strlen(label) ? label[i] : -1;
    return sum + (double)strlen(label);
}

void turn(const double in[3], double both[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = both[2 - i];
        both[i] += in[i];
    }
}

void squares(uint64_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = (uint64_t)i * i;
}

uint64_t lengths(const char *first, const char *second, uint8_t err, float tc_x)
{
    return strlen(first) * 1000 + strlen(second) * err + (tc_x > 1 ? 1 : 0);
}

/* Leaves most of its answer as it is. */
uint8_t gaps(uint8_t *bytes, size_t n, double *out, size_t m, int16_t *last, uint32_t k,
             int32_t *untouched)
{
    (void)bytes, (void)last, (void)untouched;
    if (m > 0)
        out[m - 1] = 1;
    return (uint8_t)(n + k);
}

int64_t mix(int8_t a, uint16_t b, int32_t c, uint64_t d, float e)
{
    return (int64_t)((uint64_t)(a + b) + (uint64_t)c + d + (e > 1 ? 1 : 0));
}
