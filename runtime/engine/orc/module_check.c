/* Checks in the order in which an emission calls them: the target, the contents (constructors,
 * thread-local variables, alignments, number of functions), assembly, the entries and their
 * types, the undefined symbols, and last the bounds of code that is prepared. */
#include "module_check.h"

#include "archive.h"
#include "base/error_text.h"
#include "base/triple.h"
#include "code_bounds.h"
#include "entry_names.h"
#include "engine/name_list.h"
#include "object_bounds.h"

#include <string.h>

static const char *name_of(LLVMValueRef value)
{
    size_t length;
    return LLVMGetValueName2(value, &length);
}

tc_status tci_module_check_target(LLVMModuleRef module, const tci_host_target *host,
                                  tc_error *err)
{
    const char *triple = LLVMGetTarget(module);
    const char *layout = LLVMGetDataLayoutStr(module);
    char normal[TCI_TRIPLE_MAX];
    if (*triple != '\0' && (!tci_triple_normalise(triple, strlen(triple), normal) ||
                            strcmp(normal, tci_triple_host()) != 0))
        return tci_error_set(err, TC_E_NO_SLICE, "module is made for %s, this process is %s",
                             triple, tci_triple_host());
    if (*layout != '\0' && strcmp(layout, host->layout) != 0)
        return tci_error_set(err, TC_E_UNSUPPORTED, "module has data layout %s, expected %s",
                             layout, host->layout);
    return TC_OK;
}

/* Returns whether the list has entries: clang leaves an empty one when all constructors were
 * optimised away. */
static bool is_filled_list(LLVMModuleRef module, const char *name)
{
    LLVMValueRef list = LLVMGetNamedGlobal(module, name);
    if (list == NULL)
        return false;
    LLVMTypeRef type = LLVMGlobalGetValueType(list);
    return LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMGetArrayLength(type) > 0;
}

/* Returns whether a constructor is registered by hand: by a pointer in the section that a
 * loader would walk. */
static bool is_in_constructor_section(LLVMValueRef global)
{
    static const char *const sections[] = {".init_array", ".fini_array", ".preinit_array",
                                           ".ctors", ".dtors"};
    const char *section = LLVMGetSection(global);
    for (size_t i = 0; section != NULL && i < sizeof sections / sizeof sections[0]; i++) {
        if (strncmp(section, sections[i], strlen(sections[i])) == 0)
            return true;
    }
    return false;
}

/* A page is 64 KiB at most. An alignment beyond a target's page is refused when its object is
 * checked. */
static tc_status check_alignment(LLVMModuleRef module, LLVMValueRef value, tc_error *err)
{
    const uint64_t alignment = tci_code_bounds_alignment(module, value);
    if (alignment > TCI_ALIGNMENT_MAX)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "'%.200s' is aligned to %llu bytes, expected at most %u",
                             name_of(value), (unsigned long long)alignment, TCI_ALIGNMENT_MAX);
    return TC_OK;
}

static tc_status check_alignments(LLVMModuleRef module, tc_error *err)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        TC_TRY(check_alignment(module, f, err));
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g))
        TC_TRY(check_alignment(module, g, err));
    return TC_OK;
}

static tc_status check_function_count(LLVMModuleRef module, tc_error *err)
{
    unsigned count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        count++;
    if (count > TCI_OBJECT_BOUNDS_SYMBOLS_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "code with %u functions, expected at most %u",
                             count, TCI_OBJECT_BOUNDS_SYMBOLS_MAX);
    return TC_OK;
}

/* In bitcode its value would be 0 for ever. */
static bool is_hole(LLVMValueRef variable)
{
    const char *section = LLVMGetSection(variable);
    return section != NULL && !LLVMIsDeclaration(variable) &&
           strncmp(section, TCI_HOLE_SECTION, sizeof TCI_HOLE_SECTION - 1) == 0;
}

tc_status tci_module_check_contents(LLVMModuleRef module, tc_error *err)
{
    TC_TRY(check_function_count(module, err));
    LLVMValueRef ifunc = LLVMGetFirstGlobalIFunc(module);
    if (ifunc != NULL)
        return tci_error_set(
            err, TC_E_UNSUPPORTED,
            "function '%s' is a GNU ifunc, whose resolver nothing would run: tc-ar create "
            "makes an ordinary function of it",
            name_of(ifunc));
    if (is_filled_list(module, "llvm.global_ctors"))
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "code has constructors, which would never run: tc-ar create makes "
                             "an entry of them");
    if (is_filled_list(module, "llvm.global_dtors"))
        return tci_error_set(
            err, TC_E_UNSUPPORTED,
            "code has destructors, which would never run: tc-ar create makes an "
            "entry of them");
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g)) {
        if (is_hole(g))
            return tci_error_set(err, TC_E_UNSUPPORTED,
                                 "variable '%s' is a hole, and values are for images: tc-ar "
                                 "create makes images of code with holes",
                                 name_of(g));
        if (LLVMIsThreadLocal(g) != 0)
            return tci_error_set(err, TC_E_UNSUPPORTED,
                                 "variable '%s' is thread-local: tc-ar create makes an "
                                 "ordinary one of it, unless "
                                 "a library defines it",
                                 name_of(g));
        if (is_in_constructor_section(g))
            return tci_error_set(
                err, TC_E_UNSUPPORTED,
                "variable '%s' registers a constructor or destructor, which would never run",
                name_of(g));
    }
    return check_alignments(module, err);
}

tc_status tci_module_check_bounds(LLVMModuleRef module, tc_error *err)
{
    tci_code_excess excess;
    return tci_code_bounds_exceeded(module, &excess)
               ? tci_error_set(err, excess.status, "%s", excess.text)
               : TC_OK;
}

static bool has_assembly(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        bool calls = opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr;
        LLVMValueRef called = calls ? LLVMGetCalledValue(i) : NULL;
        if (called != NULL && LLVMIsAInlineAsm(called) != NULL &&
            !tci_llvm_is_empty_assembly(called))
            return true;
    }
    return false;
}

tc_status tci_module_check_assembly(LLVMModuleRef module, tc_error *err)
{
    size_t size = 0;
    const char *text = LLVMGetModuleInlineAsm(module, &size);
    if (size > 0)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "code has assembly outside functions, '%.*s', which the option "
                             "symbols forbids",
                             (int)strcspn(text, "\n"), text);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            if (has_assembly(b))
                return tci_error_set(err, TC_E_UNSUPPORTED,
                                     "function '%s' has inline assembly, which the option "
                                     "symbols forbids",
                                     name_of(f));
        }
    }
    return TC_OK;
}

/* Compares the type of an entry. Each letter is a part of it, return value first; v void, p
 * pointer, z size_t, i int. */
static bool has_signature(LLVMTypeRef type, const char *letters)
{
    LLVMTypeRef parts[8];
    unsigned count = (unsigned)strlen(letters);
    if (LLVMIsFunctionVarArg(type) || LLVMCountParamTypes(type) + 1 != count)
        return false;
    parts[0] = LLVMGetReturnType(type);
    LLVMGetParamTypes(type, parts + 1);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeKind kind = LLVMGetTypeKind(parts[i]);
        unsigned width = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(parts[i]) : 0;
        bool fits = letters[i] == 'v'   ? kind == LLVMVoidTypeKind
                    : letters[i] == 'p' ? kind == LLVMPointerTypeKind
                                        : width == (letters[i] == 'z' ? 64 : 32);
        if (!fits)
            return false;
    }
    return true;
}

static tc_status check_entry(LLVMModuleRef module, const char *symbol, const char *letters,
                             const char *type_text, tc_error *err)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, symbol);
    if (function == NULL)
        return tci_error_set(err, TC_E_CORRUPT, "code has no function %s", symbol);
    /* An available_externally body is a copy for the optimiser: no code is made of it. */
    if (LLVMIsDeclaration(function) ||
        LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage)
        return tci_error_set(err, TC_E_CORRUPT, "code declares %s but does not define it",
                             symbol);
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    if (!has_signature(type, letters)) {
        char *found = LLVMPrintTypeToString(type);
        tci_error_set(err, TC_E_CORRUPT, "%s is '%s' in LLVM's terms, expected '%s'", symbol,
                      found, type_text);
        LLVMDisposeMessage(found);
        return TC_E_CORRUPT;
    }
    return TC_OK;
}

tc_status tci_module_check_entries(LLVMModuleRef module, const tci_engine_code *code,
                                   tc_error *err)
{
    static const struct entry_type {
        const char *letters;
        const char *text;
    } types[TCI_ENTRY_COUNT] =
        {
            {"vpzp", "void (ptr, i64, ptr)"},
            {"zpz", "i64 (ptr, i64)"},
            {"ipzpz", "i32 (ptr, i64, ptr, i64)"},
            {"ipz", "i32 (ptr, i64)"},
        },
      original_init = {"ipzpp", "i32 (ptr, i64, ptr, ptr)"};
    for (int i = 0; i < TCI_ENTRY_COUNT; i++) {
        char symbol[TCI_ENTRY_SYMBOL_MAX];
        bool original = i == 2 && (code->entries & TCI_ENTRY_ORIGINAL) != 0;
        const struct entry_type *type = original ? &original_init : &types[i];
        const unsigned bit = tci_entry_symbol(code->name, code->entries, i, symbol);
        if ((code->entries & bit) != 0 &&
            (i != TCI_ENTRY_AT_LIFE || LLVMGetNamedFunction(module, symbol) != NULL))
            TC_TRY(check_entry(module, symbol, type->letters, type->text, err));
    }
    return TC_OK;
}

static void check_symbol(LLVMValueRef value, const tci_engine_code *code,
                         tci_name_list *missing)
{
    LLVMLinkage linkage = LLVMGetLinkage(value);
    bool undefined = LLVMIsDeclaration(value) || linkage == LLVMAvailableExternallyLinkage;
    const char *name = name_of(value);
    if (!undefined || LLVMGetFirstUse(value) == NULL || strncmp(name, "llvm.", 5) == 0)
        return;
    if (*name == '\1') /* "use the rest as it is" */
        name++;
    /* A weak reference may stay open: its address is then null, as in any program. */
    if (linkage != LLVMExternalWeakLinkage && code->resolve(code->resolve_user, name) == NULL)
        tci_name_list_add(missing, name);
}

tc_status tci_module_check_symbols(LLVMModuleRef module, const tci_engine_code *code,
                                   tc_error *err)
{
    tci_name_list missing = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        check_symbol(f, code, &missing);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g))
        check_symbol(g, code, &missing);
    if (missing.count > 0)
        return tci_error_set(err, TC_E_UNRESOLVED, "no library here defines: %s",
                             tci_name_list_finish(&missing));
    return TC_OK;
}
