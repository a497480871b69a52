#include "minimise.h"

#include "base/error_text.h"
#include "engine/orc/llvm_compat.h"
#include "module_text.h"

#include <stdlib.h>
#include <string.h>

/* String attributes that change what the code means, or that the user asked for by name. Every
 * other one is about the target
 * ("target-cpu", "frame-pointer", ...), tunes ("prefer-vector-width"), or allows optimisations
 * that the sender has already made ("unsafe-fp-math"; the fast-math flags of single
 * instructions stay). A name that ends in '-' is a prefix. */
static const char *const kept_attributes[] = {
    "no-builtins",      /* -fno-builtin */
    "no-builtin-",      /* -fno-builtin-NAME */
    "denormal-fp-math", /* what happens to denormal numbers */
    "denormal-fp-math-f32",
    "strict-float-cast-overflow", /* -fno-strict-float-cast-overflow: conversions saturate */
    "disable-tail-calls",
    "trap-func-name", /* -ftrap-function= */
    "thunk",
};

static bool is_kept(const char *attribute, size_t size)
{
    for (size_t i = 0; i < sizeof kept_attributes / sizeof kept_attributes[0]; i++) {
        size_t n = strlen(kept_attributes[i]);
        bool is_prefix = kept_attributes[i][n - 1] == '-';
        if (size >= n && memcmp(attribute, kept_attributes[i], n) == 0 &&
            (size == n || is_prefix))
            return true;
    }
    return false;
}

/* --- linkage ----------------------------------------------------------------------------- */

static bool is_entry(const char *symbol, size_t size, const char *name)
{
    static const char *const suffixes[] = {"_main", "_payload_get_max_size", "_payload_init",
                                           "_payload_bound"};
    size_t n = strlen(name);
    if (size <= n || memcmp(symbol, name, n) != 0)
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (size - n == strlen(suffixes[i]) && memcmp(symbol + n, suffixes[i], size - n) == 0)
            return true;
    }
    return false;
}

static void internalise_one(LLVMValueRef v, const char *name)
{
    size_t size = 0;
    const char *symbol = LLVMGetValueName2(v, &size);
    LLVMLinkage linkage = LLVMGetLinkage(v);
    /* Hidden or protected would promise that the symbol is near, in one image with the code. */
    LLVMSetVisibility(v, LLVMDefaultVisibility);
    if (LLVMIsDeclaration(v) || linkage == LLVMAvailableExternallyLinkage ||
        linkage == LLVMAppendingLinkage || linkage == LLVMPrivateLinkage)
        return;
    if (LLVMIsAGlobalObject(v) != NULL)
        LLVMSetComdat(v, NULL);
    LLVMSetLinkage(v, is_entry(symbol, size, name) ? LLVMExternalLinkage : LLVMInternalLinkage);
}

void tci_minimise_internalise(LLVMModuleRef module, const char *name)
{
    for (LLVMValueRef v = LLVMGetFirstFunction(module); v != NULL; v = LLVMGetNextFunction(v))
        internalise_one(v, name);
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        internalise_one(v, name);
    for (LLVMValueRef v = LLVMGetFirstGlobalAlias(module); v != NULL;
         v = LLVMGetNextGlobalAlias(v))
        internalise_one(v, name);
}

/* --- passes ------------------------------------------------------------------------------ */

static tc_status run_passes(LLVMModuleRef module, const char *passes,
                            LLVMTargetMachineRef machine, tc_error *err)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMPassBuilderOptionsSetSLPVectorization(options, true);
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == NULL)
        return TC_OK;
    char *text = LLVMGetErrorMessage(error);
    (void)tci_error_set(err, TC_E_COMPILE, "passes '%s': %s", passes, text);
    LLVMDisposeErrorMessage(text);
    return TC_E_COMPILE;
}

/* Without a machine the passes would not know the target's vector registers. */
static LLVMTargetMachineRef machine_of(LLVMModuleRef module, tc_error *err)
{
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargets();
    LLVMInitializeAllTargetMCs();
    LLVMTargetRef target = NULL;
    char *text = NULL;
    if (LLVMGetTargetFromTriple(LLVMGetTarget(module), &target, &text)) {
        (void)tci_error_set(err, TC_E_COMPILE, "triple '%s': %s", LLVMGetTarget(module), text);
        LLVMDisposeMessage(text);
        return NULL;
    }
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, LLVMGetTarget(module), "", "", LLVMCodeGenLevelDefault,
                                LLVMRelocPIC, LLVMCodeModelSmall);
    if (machine == NULL)
        (void)tci_error_set(err, TC_E_COMPILE, "no code generator for '%s'",
                            LLVMGetTarget(module));
    return machine;
}

tc_status tci_minimise_optimise(LLVMModuleRef module, const char *pipeline, tc_error *err)
{
    if (pipeline != NULL) {
        LLVMTargetMachineRef machine = machine_of(module, err);
        if (machine == NULL)
            return TC_E_COMPILE;
        tc_status status = run_passes(module, pipeline, machine, err);
        LLVMDisposeTargetMachine(machine);
        TC_TRY(status);
    }
    return run_passes(module, "elim-avail-extern,globaldce,strip-dead-prototypes", NULL, err);
}

/* --- attributes and metadata ------------------------------------------------------------- */

typedef void (*attribute_remover)(LLVMValueRef value, LLVMAttributeIndex index,
                                  const char *name, unsigned size);

static void remove_string_attributes(LLVMValueRef value, const LLVMAttributeRef *attributes,
                                     unsigned count, attribute_remover remove)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned size = 0;
        if (!LLVMIsStringAttribute(attributes[i]))
            continue;
        const char *name = LLVMGetStringAttributeKind(attributes[i], &size);
        if (!is_kept(name, size))
            remove(value, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, size);
    }
}

static tc_status strip_function_attributes(LLVMValueRef function)
{
    const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned count = LLVMGetAttributeCountAtIndex(function, index);
    LLVMAttributeRef *attributes = calloc(count + 1, sizeof *attributes);
    if (attributes == NULL)
        return TC_E_NO_MEMORY;
    LLVMGetAttributesAtIndex(function, index, attributes);
    remove_string_attributes(function, attributes, count, LLVMRemoveStringAttributeAtIndex);
    free(attributes);
    return TC_OK;
}

static tc_status strip_call_attributes(LLVMValueRef call)
{
    const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    unsigned count = LLVMGetCallSiteAttributeCount(call, index);
    LLVMAttributeRef *attributes = calloc(count + 1, sizeof *attributes);
    if (attributes == NULL)
        return TC_E_NO_MEMORY;
    LLVMGetCallSiteAttributes(call, index, attributes);
    remove_string_attributes(call, attributes, count, LLVMRemoveCallSiteStringAttribute);
    free(attributes);
    return TC_OK;
}

/* Metadata may be dropped at any time without changing what code does. Type-based alias
 * information has served its purpose in the sender's passes; source cookies are for diagnostics
 * of assembly. */
static void strip_instruction_metadata(LLVMContextRef context, LLVMValueRef instruction)
{
    static const char *const kinds[] = {"tbaa", "tbaa.struct", "srcloc"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        unsigned kind = LLVMGetMDKindIDInContext(context, kinds[i], (unsigned)strlen(kinds[i]));
        if (LLVMGetMetadata(instruction, kind) != NULL)
            LLVMSetMetadata(instruction, kind, NULL);
    }
}

static tc_status strip_block(LLVMContextRef context, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        if (LLVMHasMetadata(i))
            strip_instruction_metadata(context, i);
        if (opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr)
            TC_TRY(strip_call_attributes(i));
    }
    return TC_OK;
}

static tc_status strip_functions(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        TC_TRY(strip_function_attributes(f));
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b))
            TC_TRY(strip_block(context, b));
    }
    return TC_OK;
}

tc_status tci_minimise_strip(LLVMModuleRef module, bool keep_debug, LLVMContextRef context,
                             LLVMModuleRef *copy_out, tc_error *err)
{
    if (!keep_debug) {
        (void)LLVMStripModuleDebugInfo(module);
        TC_TRY(run_passes(module, "strip", NULL, err)); /* the names */
    }
    if (strip_functions(module) != TC_OK)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for the attributes of a function");
    TC_TRY(tci_module_text_clean(module, keep_debug, context, copy_out, err));
    LLVMSetTarget(*copy_out, "");
    LLVMSetDataLayout(*copy_out, "");
    LLVMSetModuleIdentifier(*copy_out, "", 0);
    LLVMSetSourceFileName(*copy_out, "", 0);
    return TC_OK;
}
