/* A first function for a new engine: the page faults and lazy tables of LLVM that it pays for,
 * about a millisecond, are not paid by the first function that somebody waits for. It is also a
 * test that this LLVM makes code that runs here. */
#ifndef TCI_PREWARM_H
#define TCI_PREWARM_H

#include "llvm_compat.h"

#define TCI_PREWARM_NAME "prewarm"

/* Bitcode of a function TCI_PREWARM_NAME whose entry adds up the 64-bit words of its payload
 * and stores the sum in
 * *(uint64_t *)target_args; NULL when LLVM cannot make it. For LLVMDisposeMemoryBuffer. */
LLVMMemoryBufferRef tci_prewarm_bitcode(void);

#endif
