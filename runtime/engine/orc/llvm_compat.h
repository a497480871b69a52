/* LLVM's C API, and the only file that knows how its versions differ.
 *
 * Engine and compiler use only calls that mean the same in all versions that cmake/TcLlvm.cmake
 * allows. Before 17, ORC linked with RuntimeDyld, which truncates relocations, and ends the
 * process where JITLink returns an error. */
#ifndef TCI_LLVM_COMPAT_H
#define TCI_LLVM_COMPAT_H

#include "base/arch.h"

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < TC_LLVM_MIN || LLVM_VERSION_MAJOR > TC_LLVM_MAX
#error "another version of LLVM than cmake/TcLlvm.cmake allows"
#endif

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#if LLVM_VERSION_MAJOR >= 18
#include <llvm-c/LLJITUtils.h>
#endif
#include <llvm-c/Linker.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Initialises code generation for the architecture of this process, and no other. By name,
 * since LLVM's own choice (LLVMInitializeNativeTarget) is that of the machine its headers are
 * made for, which in a cross build is another. */
static inline void tci_llvm_initialize_host(void)
{
    TCI_ARCH_LLVM(TargetInfo)();
    TCI_ARCH_LLVM(Target)();
    TCI_ARCH_LLVM(TargetMC)();
    TCI_ARCH_LLVM(AsmPrinter)();
    TCI_ARCH_LLVM(AsmParser)();
}

/* Makes the call before a return pass on the caller's frame, and with it arguments of unknown
 * number. LLVM 17 can request that only in its text form: there those arguments are lost. */
static inline void tci_llvm_must_tail(LLVMValueRef call)
{
#if LLVM_VERSION_MAJOR >= 18
    LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
#else
    LLVMSetTailCall(call, 1);
#endif
}

/* Parses text in LLVM's own language to a module. *message_out is LLVM's, or NULL; for
 * LLVMDisposeMessage. LLVM 22 requires the call that leaves the buffer with its owner. */
static inline bool tci_llvm_parse_ir(LLVMContextRef context, const char *text, size_t size,
                                     LLVMModuleRef *module_out, char **message_out)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, size, "");
    *message_out = NULL;
#if LLVM_VERSION_MAJOR >= 22
    bool ok = LLVMParseIRInContext2(context, buffer, module_out, message_out) == 0;
    LLVMDisposeMemoryBuffer(buffer);
#else
    bool ok = LLVMParseIRInContext(context, buffer, module_out, message_out) == 0;
#endif
    return ok;
}

/* Returns whether inline assembly has nothing in it for an assembler, as assembly that only
 * keeps a compiler from moving code. LLVM 17 does not show it: false. */
static inline bool tci_llvm_is_empty_assembly(LLVMValueRef assembly)
{
#if LLVM_VERSION_MAJOR >= 18
    size_t size = 0;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &size);
    while (size > 0 && strchr(" \t\n", text[size - 1]) != NULL)
        size--;
    return size == 0;
#else
    (void)assembly;
    return false;
#endif
}

/* Makes a debugger of this process learn of the objects that the JIT links from now on. LLVM 17
 * cannot do that from C. */
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
