#include "jit_instance.h"

#include "base/error_text.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes after which unused names are worth searching for. */
#define LINKED_BYTES_MAX (1u << 20)

void tci_jit_error_text(LLVMErrorRef error, char *out, size_t size)
{
    char *text = LLVMGetErrorMessage(error);
    (void)snprintf(out, size, "%s", text);
    LLVMDisposeErrorMessage(text);
}

tc_status tci_jit_status(LLVMErrorRef error, const char *what, tc_error *err)
{
    char text[512];
    if (error == LLVMErrorSuccess)
        return TC_OK;
    tci_jit_error_text(error, text, sizeof text);
    return tci_error_set(err, TC_E_COMPILE, "%s: %s", what, text);
}

/* Creates the JIT. No creator for the object layer: on ELF, JITLink is LLJIT's own choice since
 * LLVM 17. The builder takes ownership of the machine, and LLJIT of the builder. */
static tc_status create(tci_host_target *host, LLVMOrcLLJITRef *lljit_out, tc_error *err)
{
    LLVMTargetMachineRef machine = tci_host_target_take(host, TCI_LEVEL_OPTIMISED);
    if (machine == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "linker: out of memory");
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    return tci_jit_status(LLVMOrcCreateLLJIT(lljit_out, builder), "llvm's jit", err);
}

/* Makes LLVM's symbols visible to all of the process: LLVM searches those for its own half of
 * GDB's interface, and its library was loaded for this module alone. This cannot be undone, so
 * it is done when there is something to debug. */
static void show_llvm(void)
{
    Dl_info info;
    if (dladdr((void *)(uintptr_t)LLVMOrcCreateLLJIT, &info) != 0)
        (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

tc_status tci_jit_open(tci_host_target *host, bool debuggable, const tci_jit_hooks *hooks,
                       tci_jit *jit_out, tc_error *err)
{
    tci_jit jit = {.define = hooks->define, .user = hooks->user};
    TC_TRY(create(host, &jit.lljit, err));
    jit.session = LLVMOrcLLJITGetExecutionSession(jit.lljit);
    LLVMOrcExecutionSessionSetErrorReporter(jit.session, hooks->report, hooks->user);
    if (debuggable) {
        show_llvm();
        tc_status status =
            tci_jit_status(tci_llvm_enable_debuggers(jit.lljit), "llvm and debuggers", err);
        if (status != TC_OK) {
            (void)tci_jit_close(&jit, NULL);
            return status;
        }
    }
    *jit_out = jit;
    return TC_OK;
}

tc_status tci_jit_close(tci_jit *jit, tc_error *err)
{
    if (jit->lljit == NULL)
        return TC_OK;
    tc_status status = tci_jit_status(LLVMOrcDisposeLLJIT(jit->lljit), "llvm's jit", err);
    while (jit->empty != NULL) {
        tci_jit_dylib *next = jit->empty->next;
        free(jit->empty);
        jit->empty = next;
    }
    return status;
}

tci_jit_dylib *tci_jit_take_dylib(tci_jit *jit)
{
    tci_jit_dylib *dylib = jit->empty;
    if (dylib != NULL) {
        jit->empty = dylib->next;
        return dylib;
    }
    dylib = calloc(1, sizeof *dylib);
    if (dylib == NULL)
        return NULL;
    char name[32];
    (void)snprintf(name, sizeof name, "function %u", jit->made++);
    /* Bare: without the process's symbols and without the library calls that LLJIT replaces. */
    dylib->ref = LLVMOrcExecutionSessionCreateBareJITDylib(jit->session, name);
    LLVMOrcJITDylibAddGenerator(
        dylib->ref, LLVMOrcCreateCustomCAPIDefinitionGenerator(jit->define, jit->user, NULL));
    return dylib;
}

/* LLVM never does so by itself, and checks every name there is. */
static void forget_names(tci_jit *jit)
{
    if (jit->linked_bytes < LINKED_BYTES_MAX)
        return;
    LLVMOrcSymbolStringPoolClearDeadEntries(
        LLVMOrcExecutionSessionGetSymbolStringPool(jit->session));
    jit->linked_bytes = 0;
}

void tci_jit_note_linked(tci_jit *jit, size_t bytes)
{
    jit->linked_bytes += bytes;
}

/* Code goes to the dylib's default tracker, as do the absolute symbols: a clear frees both. (A
 * tracker of its own that is released too early corrupts memory in LLVM up to 19.) */
tc_status tci_jit_empty_dylib(tci_jit *jit, tci_jit_dylib *dylib, tc_error *err)
{
    tc_status status = tci_jit_status(LLVMOrcJITDylibClear(dylib->ref), "unloading", err);
    if (status != TC_OK) {
        free(dylib); /* it is in an unknown state and is not used again */
        return status;
    }
    forget_names(jit);
    dylib->next = jit->empty;
    jit->empty = dylib;
    return TC_OK;
}

/* --- GDB's list -------------------------------------------------------------------------- */

/* The values of "JIT Compilation Interface" in GDB's manual. */
enum { UNREGISTER = 2 };

typedef struct entry {
    struct entry *next; /* bound: functions_max */
    struct entry *previous;
    const char *file;
    uint64_t size;
} entry;

typedef struct descriptor {
    uint32_t version;
    uint32_t action;
    entry *relevant;
    entry *first;
} descriptor;

/* LLVM's; a build of LLVM may hide them. */
extern descriptor __jit_debug_descriptor __attribute__((weak));
extern void __jit_debug_register_code(void) __attribute__((weak));
/* C++'s operator delete: LLVM makes entries by operator new. */
extern void _ZdlPv(void *) __attribute__((weak));

const void *tci_jit_newest_debugged(void)
{
    return &__jit_debug_descriptor != NULL ? __jit_debug_descriptor.first : NULL;
}

void tci_jit_forget_debugged(const void *wanted)
{
    if (wanted == NULL || &__jit_debug_descriptor == NULL || __jit_debug_register_code == NULL)
        return;
    entry *e = __jit_debug_descriptor.first;
    while (e != NULL && e != wanted)
        e = e->next;
    if (e == NULL)
        return;
    if (e->previous != NULL)
        e->previous->next = e->next;
    else
        __jit_debug_descriptor.first = e->next;
    if (e->next != NULL)
        e->next->previous = e->previous;
    __jit_debug_descriptor.relevant = e;
    __jit_debug_descriptor.action = UNREGISTER;
    __jit_debug_register_code(); /* a debugger has a breakpoint there */
    __jit_debug_descriptor.relevant = NULL;
    if (_ZdlPv != NULL)
        _ZdlPv(e);
}
