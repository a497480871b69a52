/* One of LLVM's JITs, and the JITDylibs that functions are linked into.
 *
 * ORC never frees a JITDylib, so emptied ones are used again. Whoever calls sees to it that one
 * thread does at a time. */
#ifndef TCI_JIT_INSTANCE_H
#define TCI_JIT_INSTANCE_H

#include "host_target.h"

typedef struct tci_jit_dylib {
    LLVMOrcJITDylibRef ref;
    struct tci_jit_dylib *next; /* while it is empty */
} tci_jit_dylib;

typedef struct tci_jit {
    LLVMOrcLLJITRef lljit; /* NULL: not open */
    LLVMOrcExecutionSessionRef session;
    LLVMOrcCAPIDefinitionGeneratorTryToGenerateFunction define;
    void *user;
    tci_jit_dylib *empty;
    unsigned made;
    size_t linked_bytes; /* of objects, since names that are in no use were freed */
} tci_jit;

typedef struct tci_jit_hooks {
    /* Asked, during a link, for what the code does not define itself. */
    LLVMOrcCAPIDefinitionGeneratorTryToGenerateFunction define;
    /* Why something failed. */
    LLVMOrcErrorReporterFunction report;
    void *user;
} tci_jit_hooks;

/* With `debuggable` it tells debuggers what it links, by GDB's interface for JITs.
 * TC_E_COMPILE, TC_E_NO_MEMORY. */
tc_status tci_jit_open(tci_host_target *host, bool debuggable, const tci_jit_hooks *hooks,
                       tci_jit *jit_out, tc_error *err);
/* Of one that is not open too. Frees everything, whatever it returns. */
tc_status tci_jit_close(tci_jit *jit, tc_error *err);

/* NULL: no memory. */
tci_jit_dylib *tci_jit_take_dylib(tci_jit *jit);
/* An object of so many bytes is linked into it: among them are names, which LLVM keeps. */
void tci_jit_note_linked(tci_jit *jit, size_t bytes);
/* Frees what was linked into it. On failure that memory is lost. */
tc_status tci_jit_empty_dylib(tci_jit *jit, tci_jit_dylib *dylib, tc_error *err);

/* LLVM's error as ours; takes it over. */
tc_status tci_jit_status(LLVMErrorRef error, const char *what, tc_error *err);
void tci_jit_error_text(LLVMErrorRef error, char *out, size_t size);

/* The list of linked objects that debuggers read (GDB's interface for JITs), which LLVM keeps.
 * LLVM adds to it and, up to 19 at least, never takes anything away, though it frees what the
 * list names: so that is done here. What was added last, or NULL. */
const void *tci_jit_newest_debugged(void);

/* Takes it away and tells a debugger that listens. Nothing happens if it is not in the list any
 * more. NULL is allowed. */
void tci_jit_forget_debugged(const void *entry);

#endif
