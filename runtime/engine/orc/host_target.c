#include "host_target.h"

#include "base/arch.h"
#include "base/error_text.h"
#include "base/triple.h"

#include <string.h>

/* host_features returns "+avx2,-avx512f,...", used behind a CPU name that may promise more. For
 * LLVMDisposeMessage. */
#if defined(TCI_ARCH_X86_64)

static char *host_features(void)
{
    return LLVMGetHostCPUFeatures();
}

#elif defined(TCI_ARCH_AARCH64)

#include <stdio.h>
#include <sys/auxv.h>

/* Bits of HWCAP2 that the headers of older systems lack; Linux's numbers. */
#define USES_SVE2 (1ul << 1)
#define USES_FRINT (1ul << 8)
#define USES_I8MM (1ul << 13)
#define USES_BF16 (1ul << 14)
#define USES_CSSC (1ul << 34)
#define USES_MOPS (1ul << 43)

/* Features with instructions that a compiler chooses by itself, and the bits of Linux that all
 * must be set. LLVM derives them from the name of the processor or from /proc/cpuinfo; but the
 * kernel, a hypervisor or an emulator may withhold features of the processor, and only these
 * words state the features that a process may use. */
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

/* A missing feature removes those that build on it, so missing features all come before those
 * that are present. */
static char *host_features(void)
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

static LLVMTargetMachineRef make_machine(const tci_host_target *host, tci_code_level level)
{
    LLVMCodeGenOptLevel effort =
        level == TCI_LEVEL_BASELINE ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
    /* Stated explicitly: LLVM's own default for a JIT is the large code model, which costs size
     * and time, and JITLink bridges any distance with stubs. */
    return LLVMCreateTargetMachine(host->target, host->triple, host->cpu, host->features,
                                   effort, LLVMRelocPIC, LLVMCodeModelSmall);
}

static tc_status find_target(tci_host_target *host, tc_error *err)
{
    char *message = NULL;
    char normal[TCI_TRIPLE_MAX];
    if (!tci_triple_normalise(host->triple, strlen(host->triple), normal) ||
        strcmp(normal, tci_triple_host()) != 0)
        return tci_error_set(err, TC_E_COMPILE, "llvm makes code for %s, this process is %s",
                             host->triple, tci_triple_host());
    if (LLVMGetTargetFromTriple(host->triple, &host->target, &message) != 0) {
        tci_error_set(err, TC_E_COMPILE, "llvm has no target for %s: %s", host->triple,
                      message);
        LLVMDisposeMessage(message);
        return TC_E_COMPILE;
    }
    return TC_OK;
}

static tc_status find_layout(tci_host_target *host, tc_error *err)
{
    LLVMTargetMachineRef machine = make_machine(host, TCI_LEVEL_OPTIMISED);
    if (machine == NULL)
        return tci_error_set(err, TC_E_COMPILE, "llvm has no machine for %s on %s",
                             host->triple, host->cpu);
    LLVMTargetDataRef data = LLVMCreateTargetDataLayout(machine);
    host->layout = LLVMCopyStringRepOfTargetData(data);
    LLVMDisposeTargetData(data);
    tci_host_target_give_back(host, TCI_LEVEL_OPTIMISED, machine);
    return TC_OK;
}

static unsigned machine_kind(tci_code_level level)
{
    return level == TCI_LEVEL_BASELINE ? 0 : 1;
}

tc_status tci_host_target_init(tci_host_target *host, tc_error *err)
{
    *host = (tci_host_target){0};
    tci_llvm_initialize_host();
    pthread_mutex_init(&host->lock, NULL);
    host->triple = LLVMGetDefaultTargetTriple();
    host->cpu = LLVMGetHostCPUName();
    host->features = host_features();
    tc_status status = find_target(host, err);
    if (status == TC_OK)
        status = find_layout(host, err);
    if (status != TC_OK)
        tci_host_target_fini(host);
    return status;
}

void tci_host_target_fini(tci_host_target *host)
{
    for (int kind = 0; kind < TCI_HOST_LEVELS; kind++) {
        while (host->idle_count[kind] > 0)
            LLVMDisposeTargetMachine(host->idle[kind][--host->idle_count[kind]]);
    }
    LLVMDisposeMessage(host->triple);
    LLVMDisposeMessage(host->cpu);
    LLVMDisposeMessage(host->features);
    LLVMDisposeMessage(host->layout);
    pthread_mutex_destroy(&host->lock);
}

LLVMTargetMachineRef tci_host_target_take(tci_host_target *host, tci_code_level level)
{
    LLVMTargetMachineRef machine = NULL;
    unsigned kind = machine_kind(level);
    pthread_mutex_lock(&host->lock);
    if (host->idle_count[kind] > 0)
        machine = host->idle[kind][--host->idle_count[kind]];
    pthread_mutex_unlock(&host->lock);
    return machine != NULL ? machine : make_machine(host, level);
}

void tci_host_target_give_back(tci_host_target *host, tci_code_level level,
                               LLVMTargetMachineRef machine)
{
    unsigned kind = machine_kind(level);
    pthread_mutex_lock(&host->lock);
    if (host->idle_count[kind] < TCI_HOST_IDLE_MAX) {
        host->idle[kind][host->idle_count[kind]++] = machine;
        machine = NULL;
    }
    pthread_mutex_unlock(&host->lock);
    if (machine != NULL)
        LLVMDisposeTargetMachine(machine);
}
