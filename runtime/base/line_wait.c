#include "line_wait.h"

#include "arch.h"

#if defined(TCI_ARCH_X86_64)

#include <cpuid.h>
#include <x86intrin.h>

#define WAITPKG_BIT (1u << 5) /* of ECX, leaf 7 */
#define WAIT_TICKS 6000u      /* of the time stamp counter: some 2 us */
#define STATE_C01 1u          /* the light one, which is left sooner */

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

bool tci_line_wait_supported(void)
{
    static _Atomic int known; /* 1: no, 2: yes */
    unsigned a, b, c = 0, d;
    if (known == 0)
        known = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & WAITPKG_BIT) != 0 ? 2 : 1;
    return known == 2;
}

__attribute__((target("waitpkg"))) static void monitor_and_wait(const uint64_t *word,
                                                                uint64_t awaited)
{
    _umonitor((void *)(uintptr_t)word);
    /* Written between the caller's look and the monitor, it would be missed. */
    if (load(word) != awaited)
        (void)_umwait(STATE_C01, __rdtsc() + WAIT_TICKS);
}

void tci_line_wait(const uint64_t *word, uint64_t awaited)
{
    if (tci_line_wait_supported())
        monitor_and_wait(word, awaited);
    else
        _mm_pause();
}

#elif defined(TCI_ARCH_AARCH64)

bool tci_line_wait_supported(void)
{
    return true;
}

/* The exclusive load arms the monitor; a store to the line by another processor is an event. */
void tci_line_wait(const uint64_t *word, uint64_t awaited)
{
    uint64_t seen;
    __asm__ volatile("ldaxr %0, [%1]" : "=&r"(seen) : "r"(word) : "memory");
    if (seen != awaited)
        __asm__ volatile("wfe" ::: "memory");
}

#endif
