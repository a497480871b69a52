/* One of LLVM's JITs, and the JITDylibs that functions are linked into.
 *
 * ORC never frees a JITDylib, so emptied ones are used again. The caller ensures that one
 * thread at a time calls these functions. */
#ifndef TCI_JIT_INSTANCE_H
#define TCI_JIT_INSTANCE_H

#include "host_target.h"

typedef struct tci_jit_dylib {
    LLVMOrcJITDylibRef ref;
    struct tci_jit_dylib *next; /* while it is empty; bound: functions_max */
} tci_jit_dylib;

typedef struct tci_jit {
    LLVMOrcLLJITRef lljit; /* NULL: not open */
    LLVMOrcExecutionSessionRef session;
    LLVMOrcCAPIDefinitionGeneratorTryToGenerateFunction define;
    void *user;
    tci_jit_dylib *empty;
    unsigned made;
    size_t linked_bytes; /* of objects, since unused names were freed */
} tci_jit;

typedef struct tci_jit_hooks {
    /* Called during a link for the symbols that the code does not define itself. */
    LLVMOrcCAPIDefinitionGeneratorTryToGenerateFunction define;
    /* Receives the reason of a failure. */
    LLVMOrcErrorReporterFunction report;
    void *user;
} tci_jit_hooks;

/* Opens a JIT. With `debuggable` it notifies debuggers of the objects that it links, by GDB's
 * interface for JITs. TC_E_COMPILE, TC_E_NO_MEMORY. */
tc_status tci_jit_open(tci_host_target *host, bool debuggable, const tci_jit_hooks *hooks,
                       tci_jit *jit_out, tc_error *err);
/* Closes a JIT, or does nothing if it is not open. Frees everything, whatever it returns. */
tc_status tci_jit_close(tci_jit *jit, tc_error *err);

/* Returns NULL without memory. */
tci_jit_dylib *tci_jit_take_dylib(tci_jit *jit);
/* Counts an object of so many bytes that is linked: it brings names, which LLVM keeps. */
void tci_jit_note_linked(tci_jit *jit, size_t bytes);
/* Frees the objects that were linked into it. On failure that memory is lost. */
tc_status tci_jit_empty_dylib(tci_jit *jit, tci_jit_dylib *dylib, tc_error *err);

/* Converts LLVM's error to ours, and takes ownership of it. */
tc_status tci_jit_status(LLVMErrorRef error, const char *what, tc_error *err);
void tci_jit_error_text(LLVMErrorRef error, char *out, size_t size);

/* Returns the newest entry, or NULL, in the list of linked objects that debuggers read (GDB's
 * interface for JITs). LLVM keeps the list and adds to it but, up to 19 at least, never removes
 * an entry, though it frees the object that the entry names: so that is done here. */
const void *tci_jit_newest_debugged(void);

/* Removes the entry and notifies a debugger that listens. Does nothing if it is not in the list
 * any more. NULL is allowed. */
void tci_jit_forget_debugged(const void *entry);

#endif
