#include "metg_kernel.h"

#include "perf_clock.h"

#define VECTORS 8u
#define TRY_ITERATIONS 400000u
#define TRIES 5u

typedef double metg_vector __attribute__((vector_size(32)));
_Static_assert(VECTORS * sizeof(metg_vector) == METG_KERNEL_LANES * sizeof(double), "lanes");

static volatile double one = 1;

/* Eight chains, as each addition of a chain waits for the one before: with fewer the kernel
 * would measure the latency of an instruction, not the processor's rate. */
__attribute__((always_inline)) static inline uint64_t run(uint64_t start, uint64_t iterations)
{
    const double first = (double)start, by = one, step = one;
    metg_vector v[VECTORS], sum;
    double total = 0;
    if (iterations == 0)
        return 0;
    for (unsigned i = 0; i < VECTORS; i++)
        v[i] = (metg_vector){first, first, first, first};
    for (uint64_t n = 0; n < iterations; n++) {
        for (unsigned i = 0; i < VECTORS; i++)
            v[i] = v[i] * by + step;
    }
    sum = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
    for (unsigned i = 0; i < sizeof sum / sizeof sum[0]; i++)
        total += sum[i];
    return (uint64_t)total;
}

static uint64_t run_plain(uint64_t start, uint64_t iterations)
{
    return run(start, iterations);
}

uint64_t (*metg_kernel)(uint64_t start, uint64_t iterations) = run_plain;

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static uint64_t run_fma(uint64_t start, uint64_t iterations)
{
    return run(start, iterations);
}

const char *metg_kernel_choose(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return "SSE2";
    metg_kernel = run_fma;
    return "AVX2 and FMA";
}
#else
const char *metg_kernel_choose(void)
{
    return "as the compiler has it";
}
#endif

double metg_kernel_measure(void)
{
    double least = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t begin_ns = perf_now_ns();
        const uint64_t count = metg_kernel(i, TRY_ITERATIONS);
        const double ns = (double)(perf_now_ns() - begin_ns) / TRY_ITERATIONS;
        if (count == METG_KERNEL_LANES * (uint64_t)(i + TRY_ITERATIONS) &&
            (least <= 0 || ns < least))
            least = ns;
    }
    return least;
}
