/* The functions of several.h, which know nothing of messages. */
#include "several.h"

#include <string.h>

double blend(struct limits limits, const char *name, const double *a, size_t n, float *values,
             size_t m, struct tally *tally, int32_t *codes, size_t k, bool twice)
{
    const size_t length = strlen(name);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] >= limits.low && a[i] <= limits.high ? a[i] : 0;
    tally->sum = 0;
    tally->count = (int32_t)length;
    for (size_t i = 0; i < m; i++) {
        tally->sum += (double)values[i];
        values[i] *= twice ? 2.0F : 1.0F;
    }
    for (size_t i = 0; i < k; i++)
        codes[i] = i < length ? (uint8_t)name[i] : -1;
    return sum;
}

void gather(const uint16_t *which, size_t n, uint8_t factor, const struct point *points,
            size_t m, struct point *found, size_t k)
{
    for (size_t i = 0; i < k && i < n; i++) {
        if (which[i] < m) {
            found[i].x = (int16_t)(points[which[i]].x * factor);
            found[i].y = (int16_t)(points[which[i]].y * factor);
        }
    }
}

void join(const char *first, const char *second, uint8_t *both, size_t k, bool swapped)
{
    const char *front = swapped ? second : first, *back = swapped ? first : second;
    const size_t length = strlen(front);
    for (size_t i = 0; i < k && i < length; i++)
        both[i] = (uint8_t)front[i];
    for (size_t i = length; i < k && i < length + strlen(back); i++)
        both[i] = (uint8_t)back[i - length];
}
