/* prints: 111 111 111 111 */
/* A library that has code for better processors, and does not call code that this one cannot
 * run. */
#include <stdio.h>
#include <tc/entry.h>

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("amx-tile"))) static int best(int number)
{
    _tile_release();
    return number;
}

__attribute__((target("ssse3"))) static int better(int number)
{
    return _mm_cvtsi128_si32(_mm_abs_epi32(_mm_set1_epi32(-number)));
}
#else
#include <arm_sve.h>

__attribute__((target("sve2"))) static int best(int number)
{
    return (int)svcntb() + number;
}

static int better(int number)
{
    return number;
}
#endif

void cpu_choice_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)target_args;
    (void)printf("%d\n", size > 5 ? best((int)size) : better(100) + 11);
    (void)fflush(stdout);
}
