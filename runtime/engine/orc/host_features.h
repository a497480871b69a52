/* What the processor that this process runs on can do, in LLVM's words. */
#ifndef TCI_HOST_FEATURES_H
#define TCI_HOST_FEATURES_H

/* "+avx2,-avx512f,...": for LLVMCreateTargetMachine, after a CPU name that may promise more.
 * Freed by LLVMDisposeMessage. */
char *tci_host_features(void);

#endif
