#include "cpu_level.h"

#include "base/arch.h"

#if defined(TCI_ARCH_X86_64)

uint8_t tci_cpu_level_host(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return TCI_CPU_X86_64_V4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return TCI_CPU_X86_64_V3;
    return __builtin_cpu_supports("x86-64-v2") ? TCI_CPU_X86_64_V2 : TCI_CPU_ANY;
}

#elif defined(TCI_ARCH_AARCH64)

#include <sys/auxv.h>

uint8_t tci_cpu_level_host(void)
{
    unsigned long hwcap = getauxval(AT_HWCAP);
    const unsigned long sve = HWCAP_SVE | HWCAP_FPHP | HWCAP_ASIMDHP;
    if ((hwcap & HWCAP_ATOMICS) == 0)
        return TCI_CPU_ANY;
    return (hwcap & sve) == sve ? TCI_CPU_AARCH64_SVE : TCI_CPU_AARCH64_LSE;
}

#endif
