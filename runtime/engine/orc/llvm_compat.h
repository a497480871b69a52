/* LLVM's C API, and the one place that knows how its versions differ.
 *
 * The engine keeps to calls that mean the same in LLVM 17 to 22. Before 17, ORC linked with
 * RuntimeDyld, which truncates relocations, and ends the process where JITLink returns an
 * error. */
#ifndef TCI_LLVM_COMPAT_H
#define TCI_LLVM_COMPAT_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 17 || LLVM_VERSION_MAJOR > 22
#error "the ORC engine is made for LLVM 17 to 22"
#endif

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#if LLVM_VERSION_MAJOR >= 18
#include <llvm-c/LLJITUtils.h>
#endif
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdbool.h>
#include <stddef.h>

/* Code for the architecture of this process, and no other. By name, since LLVM's own choice
 * (LLVMInitializeNativeTarget) is that of the machine its headers are made for, which in a
 * cross build is another. */
static inline void tci_llvm_initialize_host(void)
{
#if defined(__aarch64__)
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
#else
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
#endif
}

/* Text in LLVM's own language to a module. LLVM 22 asks for the call that leaves the buffer
 * with its owner. */
static inline bool tci_llvm_parse_ir(LLVMContextRef context, const char *text, size_t size,
                                     LLVMModuleRef *module_out)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, size, "ir");
#if LLVM_VERSION_MAJOR >= 22
    bool ok = LLVMParseIRInContext2(context, buffer, module_out, &message) == 0;
    LLVMDisposeMemoryBuffer(buffer);
#else
    bool ok = LLVMParseIRInContext(context, buffer, module_out, &message) == 0;
#endif
    LLVMDisposeMessage(message);
    return ok;
}

/* From now on a debugger that looks at this process learns what the JIT links. LLVM 17 cannot
 * do that from C. */
static inline LLVMErrorRef tci_llvm_enable_debuggers(LLVMOrcLLJITRef jit)
{
#if LLVM_VERSION_MAJOR >= 18
    return LLVMOrcLLJITEnableDebugSupport(jit);
#else
    (void)jit;
    return LLVMErrorSuccess;
#endif
}

#endif
