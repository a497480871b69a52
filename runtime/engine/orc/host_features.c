#include "host_features.h"

#include "base/arch.h"
#include "llvm_compat.h"

#if defined(TCI_ARCH_X86_64)

char *tci_host_features(void)
{
    return LLVMGetHostCPUFeatures();
}

#elif defined(TCI_ARCH_AARCH64)

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

/* Those of HWCAP2 and later that the headers of older systems lack; Linux's numbers. */
#define USES_SVE2 (1ul << 1)
#define USES_FRINT (1ul << 8)
#define USES_I8MM (1ul << 13)
#define USES_BF16 (1ul << 14)
#define USES_CSSC (1ul << 34)
#define USES_MOPS (1ul << 43)

/* The features whose instructions a compiler chooses by itself, and the bits of Linux that all
 * must be set. LLVM knows them by the name of the processor or from /proc/cpuinfo; but the
 * kernel, a hypervisor or an emulator may withhold what the processor has, and what a process
 * may use is in these words alone. */
typedef struct feature {
    const char *name;
    unsigned long hwcap;
    unsigned long hwcap2;
} feature;

static const feature features[] = {
    {"aes", HWCAP_AES | HWCAP_PMULL, 0},
    {"sha2", HWCAP_SHA2, 0},
    {"crc", HWCAP_CRC32, 0},
    {"lse", HWCAP_ATOMICS, 0},
    {"fullfp16", HWCAP_FPHP | HWCAP_ASIMDHP, 0},
    {"rdm", HWCAP_ASIMDRDM, 0},
    {"jsconv", HWCAP_JSCVT, 0},
    {"complxnum", HWCAP_FCMA, 0},
    {"rcpc", HWCAP_LRCPC, 0},
    {"sha3", HWCAP_SHA3 | HWCAP_SHA512, 0},
    {"dotprod", HWCAP_ASIMDDP, 0},
    {"fp16fml", HWCAP_ASIMDFHM, 0},
    {"lse2", HWCAP_USCAT, 0},
    {"rcpc-immo", HWCAP_ILRCPC, 0},
    {"flagm", HWCAP_FLAGM, 0},
    {"sve", HWCAP_SVE, 0},
    {"sve2", HWCAP_SVE, USES_SVE2},
    {"fptoint", 0, USES_FRINT},
    {"i8mm", 0, USES_I8MM},
    {"bf16", 0, USES_BF16},
    {"cssc", 0, USES_CSSC},
    {"mops", 0, USES_MOPS},
};

/* One that is missing takes those that build on it along, so they all come before those that
 * are there. */
char *tci_host_features(void)
{
    char text[512] = "";
    size_t used = 0;
    unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
    for (int there = 0; there <= 1; there++) {
        for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
            const feature *f = &features[i];
            int has = (hwcap & f->hwcap) == f->hwcap && (hwcap2 & f->hwcap2) == f->hwcap2;
            if (has != there)
                continue;
            int n = snprintf(text + used, sizeof text - used, "%s%c%s", used > 0 ? "," : "",
                             has ? '+' : '-', f->name);
            used += (size_t)n;
        }
    }
    return LLVMCreateMessage(text);
}

#endif
