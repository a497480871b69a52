#include "host_target.h"

#include "base/error_text.h"
#include "base/triple.h"
#include "host_features.h"

#include <string.h>

static LLVMTargetMachineRef make_machine(const tci_host_target *host, tci_code_level level)
{
    LLVMCodeGenOptLevel effort =
        level == TCI_LEVEL_BASELINE ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
    /* Said outright: LLVM's own default for a JIT is the large code model, which costs size and
     * time, and JITLink bridges any distance with stubs. */
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
    host->features = tci_host_features();
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
