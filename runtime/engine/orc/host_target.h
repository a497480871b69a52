/* The target that this process makes code for (triple, data layout, CPU and its features), and
 * the LLVM machines that make it.
 *
 * An LLVM target machine serves one thread at a time and is slow to make, so idle ones are
 * kept. */
#ifndef TCI_HOST_TARGET_H
#define TCI_HOST_TARGET_H

#include "engine/engine_ops.h"
#include "llvm_compat.h"

#include <pthread.h>

#define TCI_HOST_LEVELS 2 /* baseline, and both optimised ones, which need the same machine */
/* Machines kept per level; more only exist while more threads compile. */
#define TCI_HOST_IDLE_MAX 8

typedef struct tci_host_target {
    char *triple;   /* as LLVM writes it, "x86_64-pc-linux-gnu" */
    char *layout;   /* LLVM's data layout string */
    char *cpu;      /* "znver4" */
    char *features; /* "+avx2,-avx512f,..." */
    LLVMTargetRef target;
    pthread_mutex_t lock; /* guards the members below */
    LLVMTargetMachineRef idle[TCI_HOST_LEVELS][TCI_HOST_IDLE_MAX];
    unsigned idle_count[TCI_HOST_LEVELS];
} tci_host_target;

/* TC_E_COMPILE: LLVM cannot make code for this host. On failure nothing needs to be freed. */
tc_status tci_host_target_init(tci_host_target *host, tc_error *err);
void tci_host_target_fini(tci_host_target *host);

/* Returns a machine for one thread, or NULL. Any thread. */
LLVMTargetMachineRef tci_host_target_take(tci_host_target *host, tci_code_level level);
/* Returns the machine to the idle ones. A machine of an emission that failed is disposed of
 * instead. */
void tci_host_target_give_back(tci_host_target *host, tci_code_level level,
                               LLVMTargetMachineRef machine);

#endif
