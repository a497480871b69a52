#include "object_emit.h"

#include "archive.h"
#include "base/error_text.h"
#include "bitcode_producer.h"
#include "entry_names.h"
#include "module_check.h"

#include <string.h>

/* LLVM reports errors of the parser, of inline assembly and of the back end to a context's
 * handler. Without one it ends the process; with one it goes on, and makes an object that lacks
 * what was wrong. Hence: collect, count, refuse. */
typedef struct diagnostics {
    unsigned errors;
    char first[512];
} diagnostics;

typedef struct emission {
    LLVMContextRef context;
    LLVMModuleRef module;
    diagnostics diags;
} emission;

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    diagnostics *diags = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    if (diags->errors++ == 0)
        (void)snprintf(diags->first, sizeof diags->first, "%s", text);
    LLVMDisposeMessage(text);
}

static tc_status check_version(const tci_engine_code *code, tc_error *err)
{
    unsigned major, minor, patch;
    tci_producer producer;
    LLVMGetVersion(&major, &minor, &patch);
    if (code->producer_major > major)
        return tci_error_set(
            err, TC_E_VERSION,
            "bitcode was written by LLVM %u.%u.%u, this process has LLVM %u.%u.%u: "
            "expected %u or older",
            code->producer_major, code->producer_minor, code->producer_patch, major, minor,
            patch, major);
    if (tci_bitcode_producer(code->bytes, code->size, &producer) && producer.major > major)
        return tci_error_set(err, TC_E_VERSION,
                             "bitcode was written by %s, this process has LLVM %u.%u.%u: "
                             "expected %u or older",
                             producer.text, major, minor, patch, major);
    return TC_OK;
}

static tc_status check_bytes(const tci_engine_code *code, tc_error *err)
{
    if (!tci_bitcode_has_magic(code->bytes, code->size))
        return tci_error_set(err, TC_E_CORRUPT,
                             "code does not begin with bitcode's magic BC c0 de");
    if (code->size % 4 != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "bitcode has %zu bytes, expected a multiple of 4", code->size);
    if (code->size > TCI_ARCHIVE_SLICE_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "bitcode has %zu bytes, expected at most %u",
                             code->size, TCI_ARCHIVE_SLICE_BYTES_MAX);
    return check_version(code, err);
}

static tc_status diagnostics_status(const diagnostics *diags, const char *stage, tc_error *err)
{
    if (diags->errors == 0)
        return TC_OK;
    if (diags->errors == 1)
        return tci_error_set(err, TC_E_COMPILE, "%s: %s", stage, diags->first);
    return tci_error_set(err, TC_E_COMPILE, "%s: %s (and %u more errors)", stage, diags->first,
                         diags->errors - 1);
}

static tc_status parse(emission *e, const tci_engine_code *code, tc_error *err)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(code->bytes, code->size, code->name, 0);
    int failed = LLVMParseBitcodeInContext2(e->context, buffer, &e->module);
    LLVMDisposeMemoryBuffer(buffer); /* a full parse keeps nothing of it */
    if (failed)
        e->module = NULL;
    TC_TRY(diagnostics_status(&e->diags, "bitcode", err));
    return failed ? tci_error_set(err, TC_E_COMPILE, "bitcode: llvm cannot read it") : TC_OK;
}

static bool is_intrinsic_name(LLVMValueRef value)
{
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);
    return length >= 5 && memcmp(name, "llvm.", 5) == 0;
}

/* Nothing but the entry points is seen from outside, so names that two functions share never
 * meet, and code is generated without detours for symbols that somebody might replace. */
static void make_internal(LLVMValueRef value)
{
    LLVMLinkage linkage = LLVMGetLinkage(value);
    if (LLVMIsDeclaration(value) || linkage == LLVMAvailableExternallyLinkage ||
        linkage == LLVMPrivateLinkage || is_intrinsic_name(value))
        return;
    LLVMSetVisibility(value, LLVMDefaultVisibility);
    LLVMSetLinkage(value, LLVMInternalLinkage);
}

/* The CPU that the sender compiled for would override this host's. */
static void strip_target_attributes(LLVMValueRef function)
{
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        LLVMRemoveStringAttributeAtIndex(function,
                                         (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                         names[i], (unsigned)strlen(names[i]));
}

static void expose_entries(LLVMModuleRef module, const tci_engine_code *code)
{
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        char symbol[TCI_ENTRY_SYMBOL_MAX];
        if ((code->entries & tci_entry_symbol(code->name, i, symbol)) == 0)
            continue;
        LLVMSetLinkage(LLVMGetNamedFunction(module, symbol), LLVMExternalLinkage);
    }
}

static void prepare(LLVMModuleRef module, const tci_host_target *host,
                    const tci_engine_code *code)
{
    LLVMSetTarget(module, host->triple);
    LLVMSetDataLayout(module, host->layout);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        strip_target_attributes(f);
        make_internal(f);
        if (!LLVMIsDeclaration(f))
            LLVMSetComdat(f, NULL); /* the group's name may just have become internal */
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g)) {
        make_internal(g);
        if (!LLVMIsDeclaration(g))
            LLVMSetComdat(g, NULL);
    }
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a != NULL;
         a = LLVMGetNextGlobalAlias(a))
        make_internal(a);
    expose_entries(module, code);
}

static tc_status verify(const emission *e, tc_error *err)
{
    char *text = NULL;
    tc_status status = TC_OK;
    if (LLVMVerifyModule(e->module, LLVMReturnStatusAction, &text) != 0)
        status = tci_error_set(err, TC_E_COMPILE, "bitcode is not valid: %s", text);
    LLVMDisposeMessage(text);
    return status;
}

static tc_status generate(emission *e, tci_host_target *host, tci_code_level level,
                          LLVMMemoryBufferRef *object_out, tc_error *err)
{
    char *message = NULL;
    LLVMMemoryBufferRef object = NULL;
    LLVMTargetMachineRef machine = tci_host_target_take(host, level);
    if (machine == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "llvm has no machine for %s", host->cpu);
    int failed = LLVMTargetMachineEmitToMemoryBuffer(machine, e->module, LLVMObjectFile,
                                                     &message, &object);
    tc_status status = diagnostics_status(&e->diags, "code generation", err);
    if (status == TC_OK && failed)
        status = tci_error_set(err, TC_E_COMPILE, "code generation: %s", message);
    LLVMDisposeMessage(message);
    if (status != TC_OK) {
        LLVMDisposeTargetMachine(machine); /* who knows what state the error left it in */
        if (object != NULL)
            LLVMDisposeMemoryBuffer(object);
        return status;
    }
    tci_host_target_give_back(host, level, machine);
    *object_out = object;
    return TC_OK;
}

static tc_status emit(emission *e, tci_host_target *host, const tci_engine_code *code,
                      LLVMMemoryBufferRef *object_out, tc_error *err)
{
    TC_TRY(parse(e, code, err));
    TC_TRY(tci_module_check_target(e->module, host, err));
    TC_TRY(tci_module_check_contents(e->module, err));
    TC_TRY(tci_module_check_entries(e->module, code, err));
    TC_TRY(tci_module_check_symbols(e->module, code, err));
    prepare(e->module, host, code);
    TC_TRY(verify(e, err));
    return generate(e, host, code->level, object_out, err);
}

tc_status tci_object_emit(tci_host_target *host, const tci_engine_code *code,
                          LLVMMemoryBufferRef *object_out, tc_error *err)
{
    TC_TRY(check_bytes(code, err));
    emission e = {.context = LLVMContextCreate()};
    LLVMContextSetDiagnosticHandler(e.context, on_diagnostic, &e.diags);
    tc_status status = emit(&e, host, code, object_out, err);
    if (e.module != NULL)
        LLVMDisposeModule(e.module);
    LLVMContextDispose(e.context);
    return status;
}
