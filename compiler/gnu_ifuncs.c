/* Each function loads its choice from a zeroed variable, and calls the resolver while that is
 * null. */
#include "gnu_ifuncs.h"

#include "archive.h"
#include "base/error_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS_MAX = 128 };

typedef struct ifunc {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMValueRef value;
    LLVMTypeRef type; /* of the function */
    LLVMTypeRef pointer;
} ifunc;

/* --- the resolver ------------------------------------------------------------------------ */

/* Linux's keys for getauxval, and glibc's bit in the first argument that marks a second one. */
enum { HWCAP = 16, HWCAP2 = 26, HAS_SECOND_BIT = 62 };

static LLVMValueRef processor_word(const ifunc *i, LLVMBuilderRef builder, unsigned kind)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(i->context);
    LLVMTypeRef type = LLVMFunctionType(word, &word, 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(i->module, "getauxval");
    if (function == NULL)
        function = LLVMAddFunction(i->module, "getauxval", type);
    LLVMValueRef argument = LLVMConstInt(word, kind, false);
    return LLVMBuildCall2(builder, type, function, &argument, 1, "");
}

/* On aarch64 resolvers get the first word with glibc's bit, and a structure: its size and both
 * words. */
static void aarch64_arguments(const ifunc *i, LLVMBuilderRef builder, LLVMValueRef out[2])
{
    LLVMTypeRef word = LLVMInt64TypeInContext(i->context);
    LLVMTypeRef type = LLVMArrayType2(word, 3);
    LLVMValueRef all = LLVMBuildAlloca(builder, type, "");
    LLVMValueRef words[] = {LLVMConstInt(word, 3 * sizeof(uint64_t), false),
                            processor_word(i, builder, HWCAP),
                            processor_word(i, builder, HWCAP2)};
    for (unsigned n = 0; n < 3; n++) {
        LLVMValueRef index = LLVMConstInt(word, n, false);
        (void)LLVMBuildStore(builder, words[n],
                             LLVMBuildGEP2(builder, word, all, &index, 1, ""));
    }
    out[0] = LLVMBuildOr(builder, words[1],
                         LLVMConstInt(word, (uint64_t)1 << HAS_SECOND_BIT, false), "");
    out[1] = all;
}

static bool takes_processor(const ifunc *i, const LLVMTypeRef *parameters, unsigned count)
{
    return strncmp(LLVMGetTarget(i->module), "aarch64", strlen("aarch64")) == 0 && count <= 2 &&
           LLVMGetTypeKind(parameters[0]) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(parameters[0]) == 64 &&
           (count == 1 || LLVMGetTypeKind(parameters[1]) == LLVMPointerTypeKind);
}

static LLVMValueRef call_resolver(const ifunc *i, LLVMBuilderRef builder)
{
    LLVMValueRef resolver = LLVMGetGlobalIFuncResolver(i->value), arguments[PARAMETERS_MAX];
    LLVMTypeRef parameters[PARAMETERS_MAX], type = NULL;
    if (LLVMIsAFunction(resolver) != NULL)
        type = LLVMGlobalGetValueType(resolver);
    if (type == NULL || LLVMCountParamTypes(type) > PARAMETERS_MAX)
        type = LLVMFunctionType(i->pointer, NULL, 0, false);
    const unsigned count = LLVMCountParamTypes(type);
    LLVMGetParamTypes(type, parameters);
    for (unsigned n = 0; n < count; n++)
        arguments[n] = LLVMConstNull(parameters[n]);
    if (count > 0 && takes_processor(i, parameters, count)) {
        LLVMValueRef both[2];
        aarch64_arguments(i, builder, both);
        memcpy(arguments, both, count * sizeof *both);
    }
    return LLVMBuildCall2(builder, type, resolver, arguments, count, "");
}

static LLVMValueRef add_choice(const ifunc *i)
{
    LLVMValueRef choice = LLVMAddGlobal(i->module, i->pointer, "tc.choice");
    LLVMSetInitializer(choice, LLVMConstNull(i->pointer));
    LLVMSetLinkage(choice, LLVMInternalLinkage);
    LLVMSetAlignment(choice, sizeof(uint64_t));
    LLVMSetSection(choice, TCI_OWN_DATA_SECTION);
    return choice;
}

/* Two threads of the code may choose at the same time; they choose the same. */
static LLVMValueRef relaxed(LLVMValueRef access)
{
    LLVMSetOrdering(access, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(access, sizeof(uint64_t));
    return access;
}

static LLVMValueRef define_choosing(const ifunc *i, LLVMValueRef choice)
{
    LLVMTypeRef type = LLVMFunctionType(i->pointer, NULL, 0, false);
    LLVMValueRef function = LLVMAddFunction(i->module, "tc.choose", type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(i->context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(i->context, function, ""));
    LLVMValueRef chosen = call_resolver(i, builder);
    (void)relaxed(LLVMBuildStore(builder, chosen, choice));
    (void)LLVMBuildRet(builder, chosen);
    LLVMDisposeBuilder(builder);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    return function;
}

/* --- the function ------------------------------------------------------------------------ */

/* Finds a call: its attributes state how each argument is passed, which the ifunc itself does
 * not. */
static LLVMValueRef find_call(LLVMValueRef called)
{
    for (LLVMUseRef use = LLVMGetFirstUse(called); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool calls = LLVMIsACallInst(user) != NULL || LLVMIsAInvokeInst(user) != NULL;
        if (calls && LLVMGetCalledValue(user) == called)
            return user;
    }
    return NULL;
}

static bool is_called(LLVMAttributeRef attribute, const char *name)
{
    return !LLVMIsStringAttribute(attribute) &&
           LLVMGetEnumAttributeKind(attribute) ==
               LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static bool changes_travel(LLVMAttributeRef attribute)
{
    static const char *const names[] = {"byval",   "sret",      "inreg",      "zeroext",
                                        "signext", "swiftself", "swifterror", "nest"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        if (is_called(attribute, names[n]))
            return true;
    }
    return false;
}

static void copy_attributes(LLVMValueRef known, LLVMAttributeIndex index, LLVMValueRef function,
                            LLVMValueRef call)
{
    LLVMAttributeRef attributes[64];
    const unsigned count = LLVMGetCallSiteAttributeCount(known, index);
    bool is_copy = false; /* on the stack, with an alignment */
    if (count > sizeof attributes / sizeof attributes[0])
        return;
    LLVMGetCallSiteAttributes(known, index, attributes);
    for (unsigned n = 0; n < count; n++)
        is_copy = is_copy || is_called(attributes[n], "byval");
    for (unsigned n = 0; n < count; n++) {
        if (!changes_travel(attributes[n]) && !(is_copy && is_called(attributes[n], "align")))
            continue;
        LLVMAddAttributeAtIndex(function, index, attributes[n]);
        LLVMAddCallSiteAttribute(call, index, attributes[n]);
    }
}

static void define_calling(const ifunc *i, LLVMValueRef function, LLVMValueRef choice,
                           LLVMValueRef choosing)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(i->context);
    LLVMBasicBlockRef look = LLVMAppendBasicBlockInContext(i->context, function, "");
    LLVMBasicBlockRef choose = LLVMAppendBasicBlockInContext(i->context, function, "");
    LLVMBasicBlockRef go = LLVMAppendBasicBlockInContext(i->context, function, "");
    LLVMValueRef arguments[PARAMETERS_MAX], targets[2];
    LLVMPositionBuilderAtEnd(builder, look);
    targets[0] = relaxed(LLVMBuildLoad2(builder, i->pointer, choice, ""));
    (void)LLVMBuildCondBr(builder, LLVMBuildIsNull(builder, targets[0], ""), choose, go);
    LLVMPositionBuilderAtEnd(builder, choose);
    targets[1] =
        LLVMBuildCall2(builder, LLVMGlobalGetValueType(choosing), choosing, NULL, 0, "");
    (void)LLVMBuildBr(builder, go);
    LLVMPositionBuilderAtEnd(builder, go);
    LLVMValueRef target = LLVMBuildPhi(builder, i->pointer, "");
    LLVMAddIncoming(target, targets, (LLVMBasicBlockRef[]){look, choose}, 2);
    LLVMGetParams(function, arguments);
    LLVMValueRef call =
        LLVMBuildCall2(builder, i->type, target, arguments, LLVMCountParamTypes(i->type), "");
    tci_llvm_must_tail(call);
    if (LLVMGetTypeKind(LLVMGetReturnType(i->type)) == LLVMVoidTypeKind)
        (void)LLVMBuildRetVoid(builder);
    else
        (void)LLVMBuildRet(builder, call);
    LLVMDisposeBuilder(builder);
    LLVMValueRef known = find_call(i->value);
    for (unsigned n = 0; known != NULL && n <= LLVMCountParamTypes(i->type); n++)
        copy_attributes(known, n, function, call);
}

static tc_status lower(const ifunc *i, tc_error *err)
{
    size_t size = 0;
    const char *symbol = LLVMGetValueName2(i->value, &size);
    char *name = strndup(symbol, size);
    if (name == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a name");
    LLVMValueRef function = LLVMAddFunction(i->module, "", i->type);
    LLVMValueRef choice = add_choice(i);
    define_calling(i, function, choice, define_choosing(i, choice));
    /* target_clones makes every ifunc weak in this way, and libraries do not export such
     * symbols. */
    LLVMLinkage linkage = LLVMGetLinkage(i->value);
    LLVMSetLinkage(function, linkage == LLVMWeakODRLinkage ? LLVMExternalLinkage : linkage);
    LLVMSetVisibility(function, LLVMGetVisibility(i->value));
    LLVMReplaceAllUsesWith(i->value, function);
    LLVMEraseGlobalIFunc(i->value);
    LLVMSetValueName2(function, name, size);
    free(name);
    return TC_OK;
}

tc_status tci_gnu_ifuncs_lower(LLVMModuleRef module, tc_error *err)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    for (LLVMValueRef v = LLVMGetFirstGlobalIFunc(module), next; v != NULL; v = next) {
        next = LLVMGetNextGlobalIFunc(v);
        const ifunc i = {.module = module,
                         .context = context,
                         .value = v,
                         .type = LLVMGlobalGetValueType(v),
                         .pointer = LLVMPointerTypeInContext(context, 0)};
        if (LLVMCountParamTypes(i.type) > PARAMETERS_MAX)
            return tci_error_set(
                err, TC_E_UNSUPPORTED, "GNU ifunc '%s' with %u parameters, expected at most %d",
                LLVMGetValueName(v), LLVMCountParamTypes(i.type), PARAMETERS_MAX);
        TC_TRY(lower(&i, err));
    }
    return TC_OK;
}
