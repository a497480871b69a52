#include "thread_locals.h"

#include "source_place.h"

#include <stdio.h>
#include <string.h>

static bool begins(LLVMValueRef value, const char *prefix)
{
    size_t size = 0;
    const char *name = LLVMGetValueName2(value, &size);
    return size >= strlen(prefix) && memcmp(name, prefix, strlen(prefix)) == 0;
}

/* --- variables that cannot be made ordinary ---------------------------------------------- */

/* Returns the prefix of a function in use that starts threads, or NULL. */
static const char *starter_of_threads(LLVMModuleRef module)
{
    static const char *const names[] = {"pthread_create",
                                        "thrd_create",
                                        "GOMP_parallel",
                                        "__kmpc_fork_call",
                                        "_ZNSt6thread15_M_start_thread",
                                        "_ZN3std6thread",
                                        "_ZN3std3sys3pal4unix6thread"};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName(f);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (LLVMGetFirstUse(f) != NULL && strncmp(name, names[i], strlen(names[i])) == 0)
                return names[i];
        }
    }
    return NULL;
}

static void report(LLVMValueRef variable, const char *place, const char *why,
                   tci_text_list *findings)
{
    size_t size = 0;
    const char *name = LLVMGetValueName2(variable, &size);
    tci_text_list_format(findings, "%s: error: thread-local variable '%.*s' %s", place,
                         size > 200 ? 200 : (int)size, name, why);
}

static void check(LLVMValueRef variable, const char *starter, const char *origin,
                  tci_text_list *findings)
{
    char place[TCI_PLACE_MAX], why[256];
    if (LLVMIsDeclaration(variable) && LLVMGetFirstUse(variable) != NULL) {
        tci_source_place_of_use(variable, origin, place);
        report(variable, place,
               "of a library cannot be shipped, as each thread has another; call a function of "
               "that library which gives its address, as __errno_location() does, or define "
               "the variable in this code",
               findings);
    } else if (!LLVMIsDeclaration(variable) && starter != NULL) {
        (void)snprintf(
            why, sizeof why,
            "cannot be shipped in code that starts threads (%s): they would share "
            "it with the thread that runs messages; give each its own by an argument",
            starter);
        tci_source_place_of(variable, origin, place);
        report(variable, place, why, findings);
    }
}

void tci_thread_locals_check(LLVMModuleRef module, const char *origin, tci_text_list *findings)
{
    const char *starter = starter_of_threads(module);
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        if (LLVMIsThreadLocal(v))
            check(v, starter, origin, findings);
    }
}

/* --- variables that can ------------------------------------------------------------------ */

/* Replaces calls of the intrinsic that gives a variable's address in the calling thread. */
static void take_addresses(LLVMValueRef intrinsic)
{
    for (LLVMUseRef use = LLVMGetFirstUse(intrinsic), next; use != NULL; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        LLVMValueRef variable = LLVMIsACallInst(call) != NULL ? LLVMGetOperand(call, 0) : NULL;
        if (variable == NULL || LLVMIsAGlobalVariable(variable) == NULL ||
            LLVMIsThreadLocal(variable))
            continue;
        LLVMReplaceAllUsesWith(call, variable);
        LLVMInstructionEraseFromParent(call);
    }
}

void tci_thread_locals_lower(LLVMModuleRef module)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        if (LLVMIsThreadLocal(v) && !LLVMIsDeclaration(v))
            LLVMSetThreadLocal(v, false);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (begins(f, "llvm.threadlocal.address"))
            take_addresses(f);
    }
}
