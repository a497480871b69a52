/* The features that the test of choosy.c queries: by the compiler's functions, here as
 * there. */
#ifndef TEST_CHOOSY_H
#define TEST_CHOOSY_H

enum { CHOOSY_PLAIN = 100, CHOOSY_BETTER = 200 };

#if defined(__x86_64__)
static inline unsigned choosy_features(void)
{
    return (unsigned)(__builtin_cpu_supports("sse2") != 0) << 0 |
           (unsigned)(__builtin_cpu_supports("sse4.2") != 0) << 1 |
           (unsigned)(__builtin_cpu_supports("avx2") != 0) << 2 |
           (unsigned)(__builtin_cpu_supports("avx512f") != 0) << 3 |
           (unsigned)(__builtin_cpu_supports("gfni") != 0) << 4 |
           (unsigned)(__builtin_cpu_supports("avx512bf16") != 0) << 5 |
           (unsigned)(__builtin_cpu_supports("x86-64-v2") != 0) << 6 |
           (unsigned)(__builtin_cpu_supports("x86-64-v3") != 0) << 7 |
           (unsigned)(__builtin_cpu_supports("x86-64-v4") != 0) << 8 |
           (unsigned)(__builtin_cpu_is("intel") != 0) << 9 |
           (unsigned)(__builtin_cpu_is("amd") != 0) << 10;
}
#else
/* As the compiler makes of __builtin_cpu_supports, which GCC 12 does not know there. */
#include <sys/auxv.h>
static inline unsigned choosy_features(void)
{
#if defined(__clang__)
    return (unsigned)(__builtin_cpu_supports("fp") != 0) << 0 |
           (unsigned)(__builtin_cpu_supports("simd") != 0) << 1 |
           (unsigned)(__builtin_cpu_supports("crc") != 0) << 2 |
           (unsigned)(__builtin_cpu_supports("lse") != 0) << 3 |
           (unsigned)(__builtin_cpu_supports("sve") != 0) << 4 |
           (unsigned)(__builtin_cpu_supports("bf16") != 0) << 5;
#else
    const unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
    return (unsigned)((hwcap & HWCAP_FP) != 0) << 0 |
           (unsigned)((hwcap & HWCAP_ASIMD) != 0) << 1 |
           (unsigned)((hwcap & HWCAP_CRC32) != 0) << 2 |
           (unsigned)((hwcap & HWCAP_ATOMICS) != 0) << 3 |
           (unsigned)((hwcap & HWCAP_SVE) != 0) << 4 |
           (unsigned)((hwcap2 & HWCAP2_BF16) != 0) << 5;
#endif
}
#endif

#endif
