#include "perf_clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CALIBRATION_NS (20 * PERF_NS_PER_MS)

bool perf_clock_is_counter;
static double ns_per_tick = 1.0;

double perf_clock_ns_per_tick(void)
{
    return ns_per_tick;
}

#if defined(__x86_64__)
/* "Invariant TSC": the counter's rate depends neither on frequency nor on sleep states. */
static bool counter_is_constant(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
}

void perf_clock_init(void)
{
    if (!counter_is_constant())
        return;
    uint64_t start_ns = perf_now_ns();
    uint64_t start_ticks = __rdtsc();
    uint64_t now_ns;
    do {
        now_ns = perf_now_ns();
    } while (now_ns - start_ns < CALIBRATION_NS);
    ns_per_tick = (double)(now_ns - start_ns) / (double)(__rdtsc() - start_ticks);
    perf_clock_is_counter = true;
}
#else
void perf_clock_init(void)
{
}
#endif
