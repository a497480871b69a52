/* LLVM's C API cannot remove everything, so the module is also printed, cleaned as text and
 * read again. */
#include "minimise.h"

#include "archive.h"
#include "base/error_text.h"
#include "engine/orc/llvm_compat.h"
#include "hole_variables.h"
#include "module_copy.h"
#include "own_features.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tc/status.h>

/* String attributes that change the meaning of code, or that the user asked for by name. Every
 * other one is about the target ("target-cpu", "frame-pointer", ...), tunes
 * ("prefer-vector-width"), or allows optimisations that the sender has already made
 * ("unsafe-fp-math"; the fast-math flags of single instructions stay). A name that ends in '-'
 * is a prefix. */
static const char *const kept_attributes[] = {
    "no-builtins",      /* -fno-builtin */
    "no-builtin-",      /* -fno-builtin-NAME */
    "denormal-fp-math", /* treatment of denormal numbers */
    "denormal-fp-math-f32",
    "strict-float-cast-overflow", /* -fno-strict-float-cast-overflow: conversions saturate */
    "disable-tail-calls",
    "trap-func-name", /* -ftrap-function= */
    "thunk",
    "target-features", /* as own_features.h leaves them */
    "probe-stack",     /* stack_probes.h, -fstack-clash-protection */
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
                                           "_payload_bound", TCI_LIFE_SUFFIX};
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
    /* Hidden or protected visibility would promise that the symbol is near, in one image with
     * the code. */
    LLVMSetVisibility(v, LLVMDefaultVisibility);
    if (LLVMIsDeclaration(v) || linkage == LLVMAvailableExternallyLinkage ||
        linkage == LLVMAppendingLinkage || linkage == LLVMPrivateLinkage)
        return;
    if (LLVMIsAGlobalObject(v) != NULL)
        LLVMSetComdat(v, NULL);
    if (tci_hole_variables_is(v)) { /* the linker shows its place, and the code finds it near */
        tci_hole_variables_state_kind(v);
        LLVMSetVisibility(v, LLVMProtectedVisibility);
        return;
    }
    LLVMSetLinkage(v, is_entry(symbol, size, name) ? LLVMExternalLinkage : LLVMInternalLinkage);
}

/* Searches the printed variable: LLVM's C API has no function for dso_local. */
static bool is_promised_near(LLVMValueRef variable)
{
    char *text = LLVMPrintValueToString(variable);
    const bool is_near = strstr(text, " dso_local ") != NULL;
    LLVMDisposeMessage(text);
    return is_near;
}

/* Compilers promise that names known to be in each linked file are near. The declaration made
 * here promises nothing. */
static tc_status declare_far(LLVMModuleRef module, LLVMValueRef variable)
{
    size_t size = 0;
    const char *symbol = LLVMGetValueName2(variable, &size);
    char *name = strndup(symbol, size);
    if (name == NULL)
        return TC_E_NO_MEMORY;
    LLVMValueRef far =
        LLVMAddGlobalInAddressSpace(module, LLVMGlobalGetValueType(variable), "",
                                    LLVMGetPointerAddressSpace(LLVMTypeOf(variable)));
    LLVMSetLinkage(far, LLVMGetLinkage(variable));
    LLVMSetAlignment(far, LLVMGetAlignment(variable));
    LLVMSetGlobalConstant(far, LLVMIsGlobalConstant(variable));
    LLVMSetThreadLocalMode(far, LLVMGetThreadLocalMode(variable));
    LLVMReplaceAllUsesWith(variable, far);
    LLVMDeleteGlobal(variable);
    LLVMSetValueName2(far, name, size);
    free(name);
    return TC_OK;
}

static tc_status declare_all_far(LLVMModuleRef module)
{
    tc_status status = TC_OK;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module), next; status == TC_OK && v != NULL;
         v = next) {
        next = LLVMGetNextGlobal(v);
        if (LLVMIsDeclaration(v) && is_promised_near(v))
            status = declare_far(module, v);
    }
    return status;
}

tc_status tci_minimise_internalise(LLVMModuleRef module, const char *name)
{
    for (LLVMValueRef v = LLVMGetFirstFunction(module); v != NULL; v = LLVMGetNextFunction(v))
        internalise_one(v, name);
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        internalise_one(v, name);
    for (LLVMValueRef v = LLVMGetFirstGlobalAlias(module); v != NULL;
         v = LLVMGetNextGlobalAlias(v)) {
        internalise_one(v, name);
        LLVMReplaceAllUsesWith(v, LLVMAliasGetAliasee(v));
    }
    return declare_all_far(module);
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
        /* A pass that sorts functions by their names never ends with several unnamed ones, as
         * in bitcode that was stripped before. */
        tci_module_copy_name_functions(module);
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

/* Metadata may be dropped at any time without changing the code's behaviour. Type-based alias
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

/* --- removals that only the text allows -------------------------------------------------- */

/* In LLVM's text a top-level entity starts at column 0, and line breaks inside strings are
 * escaped, so the start of a line identifies it. */

/* Accepts "!llvm.ident = !{!0}", but not the numbered "!0 = ..." nor anything indented. */
static bool is_named_metadata(const char *line, size_t size)
{
    return size > 1 && line[0] == '!' && !(line[1] >= '0' && line[1] <= '9');
}

static bool starts_with(const char *line, size_t size, const char *prefix)
{
    size_t n = strlen(prefix);
    return size >= n && memcmp(line, prefix, n) == 0;
}

/* Returns the offset of "dso_local " in the line of an undefined symbol; size when it is
 * missing. */
static size_t dso_local_at(const char *line, size_t size)
{
    static const char *const heads[] = {"declare ", "declare extern_weak "};
    static const char word[] = "dso_local ";
    static const char *const variables[] = {" = external dso_local ",
                                            " = extern_weak dso_local "};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        size_t n = strlen(heads[i]);
        if (starts_with(line, size, heads[i]) && starts_with(line + n, size - n, word))
            return n;
    }
    for (size_t i = 0; line[0] == '@' && i < sizeof variables / sizeof variables[0]; i++) {
        const char *at = memmem(line, size, variables[i], strlen(variables[i]));
        if (at != NULL)
            return (size_t)(at - line) + strlen(variables[i]) - strlen(word);
    }
    return size;
}

/* Overwrites the text: the output never overtakes the input. Returns the new size. */
static size_t clean_lines(char *text, size_t size, bool keep_metadata)
{
    size_t out = 0;
    for (size_t at = 0; at < size;) {
        const char *line = text + at;
        const char *end = memchr(line, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - line) + 1 : size - at;
        at += length;
        if (is_named_metadata(line, length) && !keep_metadata)
            continue;
        size_t cut = dso_local_at(line, length);
        size_t skip = cut < length ? strlen("dso_local ") : 0;
        memmove(text + out, line, cut);
        memmove(text + out + cut, line + cut + skip, length - cut - skip);
        out += length - skip;
    }
    return out;
}

/* Prints the module, drops named metadata (kept with keep_metadata: it refers to debug
 * information) and the promise of undefined symbols to be near (dso_local, from code compiled
 * without -fPIC), and reads the text into `context`. The context should be a new one: names of
 * metadata kinds that it has seen are written into all bitcode from it. The new module is the
 * caller's; the old one stays as it is. TC_E_COMPILE (LLVM's text), TC_E_NO_MEMORY. */
static tc_status clean_text(LLVMModuleRef module, bool keep_metadata, LLVMContextRef context,
                            LLVMModuleRef *clean_out, tc_error *err)
{
    char *text = LLVMPrintModuleToString(module);
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory to print a module");
    size_t size = clean_lines(text, strlen(text), keep_metadata);
    char *message;
    bool ok = tci_llvm_parse_ir(context, text, size, clean_out, &message);
    if (!ok)
        (void)tci_error_set(err, TC_E_COMPILE, "module does not survive printing: %s",
                            message != NULL ? message : "no reason given");
    LLVMDisposeMessage(message);
    LLVMDisposeMessage(text);
    return ok ? TC_OK : TC_E_COMPILE;
}

tc_status tci_minimise_strip(LLVMModuleRef module, bool keep_debug, LLVMContextRef context,
                             LLVMModuleRef *copy_out, tc_error *err)
{
    LLVMModuleRef copy;
    if (!keep_debug)
        (void)LLVMStripModuleDebugInfo(module);
    TC_TRY(tci_own_features_keep(module, err));
    if (strip_functions(module) != TC_OK)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for the attributes of a function");
    tci_module_copy_name_functions(module);
    tci_module_copy_name_labels(module);
    TC_TRY(clean_text(module, keep_debug, context, &copy, err));
    tc_status status = keep_debug ? TC_OK : run_passes(copy, "strip", NULL, err); /* names */
    if (status != TC_OK) {
        LLVMDisposeModule(copy);
        return status;
    }
    LLVMSetTarget(copy, "");
    LLVMSetDataLayout(copy, "");
    LLVMSetModuleIdentifier(copy, "", 0);
    LLVMSetSourceFileName(copy, "", 0);
    *copy_out = copy;
    return TC_OK;
}
