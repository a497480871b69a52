#include "gam_compute.h"

#include "gam_work.h"

__attribute__((always_inline)) static inline void absolute(const int32_t *values,
                                                           int32_t *values_out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        values_out[i] = gam_absolute(values[i]);
}

static void sum_plain(int32_t *sums, const int32_t *values, int32_t *sums_out, uint32_t count)
{
    gam_sum(sums, values, sums_out, count);
}

static void absolute_plain(const int32_t *values, int32_t *values_out, uint32_t count)
{
    absolute(values, values_out, count);
}

void (*gam_compute_sum)(int32_t *, const int32_t *, int32_t *, uint32_t) = sum_plain;
void (*gam_compute_absolute)(const int32_t *, int32_t *, uint32_t) = absolute_plain;

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void sum_avx2(int32_t *sums, const int32_t *values,
                                                     int32_t *sums_out, uint32_t count)
{
    gam_sum(sums, values, sums_out, count);
}

__attribute__((target("avx2"))) static void absolute_avx2(const int32_t *values,
                                                          int32_t *values_out, uint32_t count)
{
    absolute(values, values_out, count);
}

const char *gam_compute_choose(void)
{
    if (!__builtin_cpu_supports("avx2"))
        return "SSE2";
    gam_compute_sum = sum_avx2;
    gam_compute_absolute = absolute_avx2;
    return "AVX2";
}
#else
const char *gam_compute_choose(void)
{
    return "as the compiler has it";
}
#endif
