/* Each architecture defines find_instruction and wait_by; the rest of the file is common. */
#include "line_wait.h"

#include "arch.h"

#include <stddef.h>

typedef enum line_instruction { UNKNOWN, NONE, UMWAIT, MWAITX, WFE, WFET } line_instruction;

#if defined(TCI_ARCH_X86_64)

#include <cpuid.h>
#include <x86intrin.h>

#define WAITPKG_BIT (1u << 5) /* of ECX, leaf 7 */
#define EXTENDED_LEAF 0x80000001u
#define MONITORX_BIT (1u << 29) /* of its ECX */
#define TICKS_PER_NS 3u
#define STATE_C01 1u      /* UMWAIT: the light state, which is left sooner */
#define STATE_C0 0xf0u    /* MWAITX: the same */
#define TIMER_IN_EBX 0x2u /* MWAITX: a bound is given */

static line_instruction find_instruction(void)
{
    unsigned a, b, c = 0, d;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & WAITPKG_BIT) != 0)
        return UMWAIT;
    if (__get_cpuid(EXTENDED_LEAF, &a, &b, &c, &d) != 0 && (c & MONITORX_BIT) != 0)
        return MWAITX;
    return NONE;
}

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Both check the word between monitor and wait: otherwise a write between the caller's check
 * and the monitor would be missed. */
__attribute__((target("waitpkg"))) static void wait_by_umwait(const uint64_t *word,
                                                              uint64_t awaited, uint64_t ticks)
{
    _umonitor((void *)(uintptr_t)word);
    if (load(word) != awaited)
        (void)_umwait(STATE_C01, __rdtsc() + ticks);
}

__attribute__((target("mwaitx"))) static void wait_by_mwaitx(const uint64_t *word,
                                                             uint64_t awaited, uint64_t ticks)
{
    _mm_monitorx((void *)(uintptr_t)word, 0, 0);
    if (load(word) != awaited)
        _mm_mwaitx(TIMER_IN_EBX, STATE_C0, (unsigned)ticks);
}

static void wait_by(line_instruction which, const uint64_t *word, uint64_t awaited,
                    uint64_t bound_ns)
{
    if (which == UMWAIT)
        wait_by_umwait(word, awaited, bound_ns * TICKS_PER_NS);
    else
        wait_by_mwaitx(word, awaited, bound_ns * TICKS_PER_NS);
}

#elif defined(TCI_ARCH_AARCH64)

#include <sys/auxv.h>

#define HWCAP2_WFXT_BIT (1ul << 31)
#define NS_PER_S 1000000000ull

static line_instruction find_instruction(void)
{
    return (getauxval(AT_HWCAP2) & HWCAP2_WFXT_BIT) != 0 ? WFET : WFE;
}

static uint64_t counter_after(uint64_t ns)
{
    uint64_t now, per_s;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(per_s));
    return now + ns * per_s / NS_PER_S;
}

/* The exclusive load arms the monitor; a store to the line by another processor is an event. */
static void wait_by(line_instruction which, const uint64_t *word, uint64_t awaited,
                    uint64_t bound_ns)
{
    uint64_t seen, until = which == WFET ? counter_after(bound_ns) : 0;
    __asm__ volatile("ldaxr %0, [%1]" : "=&r"(seen) : "r"(word) : "memory");
    if (seen == awaited)
        return;
    if (which == WFET) /* wfet x0, which old assemblers do not know */
        __asm__ volatile("mov x0, %0\n\t.inst 0xd5031000" ::"r"(until) : "x0", "memory");
    else
        __asm__ volatile("wfe" ::: "memory");
}

#endif

static line_instruction instruction(void)
{
    static _Atomic line_instruction known;
    if (known == UNKNOWN)
        known = find_instruction();
    return known;
}

const char *tci_line_wait_name(void)
{
    static const char *const names[] = {
        [UMWAIT] = "umwait", [MWAITX] = "mwaitx", [WFE] = "wfe", [WFET] = "wfet"};
    return names[instruction()];
}

bool tci_line_wait_is_bounded(void)
{
    return instruction() != WFE;
}

void tci_line_wait(const uint64_t *word, uint64_t awaited, uint64_t bound_ns)
{
    line_instruction which = instruction();
    if (which == NONE)
        TCI_ARCH_PAUSE();
    else
        wait_by(which, word, awaited, bound_ns);
}
