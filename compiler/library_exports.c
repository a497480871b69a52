#include "library_exports.h"

#include "prototype.h"
#include "source_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 2, SYMBOL_MAX = TCI_ARCHIVE_NAME_MAX + 32 };

typedef struct library {
    LLVMModuleRef module;
    const char *name;
    const char *origin;
    tci_text_list *exports;
    tci_text_list *findings;
} library;

static void report(const library *l, LLVMValueRef value, const char *symbol,
                   const char *problem)
{
    char place[TCI_PLACE_MAX];
    if (value != NULL)
        tci_source_place_of(value, l->origin, place);
    else
        (void)snprintf(place, sizeof place, "%s", l->origin);
    tci_text_list_format(l->findings, "%s: error: '%s' %s", place, symbol, problem);
}

tci_export tci_library_exports_of(const char *item)
{
    return (tci_export){(tci_export_kind)(item[0] - '0'), item + 1};
}

/* --- entries ----------------------------------------------------------------------------- */

static LLVMValueRef find_entry(const library *l, const char *suffix, LLVMTypeKind result)
{
    char symbol[SYMBOL_MAX];
    (void)snprintf(symbol, sizeof symbol, "%s%s", l->name, suffix);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, symbol);
    if (function == NULL || LLVMIsDeclaration(function))
        return NULL;
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMTypeRef returned = LLVMGetReturnType(type);
    bool fits = LLVMCountParamTypes(type) == 0 && LLVMGetTypeKind(returned) == result &&
                (result != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(returned) == 32);
    if (!fits)
        report(l, function, symbol,
               result == LLVMVoidTypeKind ? "has the wrong signature; expected 'void(void)'"
                                          : "has the wrong signature; expected 'int(void)'");
    return function;
}

/* --- exports ----------------------------------------------------------------------------- */

static bool is_exported(LLVMValueRef v)
{
    LLVMLinkage linkage = LLVMGetLinkage(v);
    size_t size = 0;
    const char *symbol = LLVMGetValueName2(v, &size);
    return !LLVMIsDeclaration(v) && LLVMGetVisibility(v) == LLVMDefaultVisibility &&
           (linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage ||
            linkage == LLVMCommonLinkage) &&
           size > 0 && strncmp(symbol, "llvm.", 5) != 0;
}

static bool is_own(const library *l, const char *symbol)
{
    const size_t n = strlen(l->name);
    return strncmp(symbol, l->name, n) == 0 &&
           (strcmp(symbol + n, "_init") == 0 || strcmp(symbol + n, "_fini") == 0 ||
            strcmp(symbol + n, TCI_LIFE_SUFFIX) == 0);
}

static void add(const library *l, LLVMValueRef v, tci_export_kind kind)
{
    const char *symbol = LLVMGetValueName(v);
    if (is_exported(v) && !is_own(l, symbol))
        tci_text_list_format(l->exports, "%u%s", (unsigned)kind, symbol);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

/* Code that states no prototype could not choose. */
static void check_prototypes(const library *l)
{
    const tci_text_list *exports = l->exports;
    for (size_t i = 0; i < exports->count; i++) {
        const char *typed = exports->items[i] + 1, *prototype = tci_prototype_of_symbol(typed);
        const size_t size = prototype != NULL ? (size_t)(prototype - typed) : 0;
        for (size_t k = 0; size > 0 && k < exports->count; k++) {
            const char *other = exports->items[k] + 1;
            const bool is_same = k != i && strncmp(typed, other, size) == 0 &&
                                 (other[size] == '\0' || (k < i && other[size] == '('));
            if (is_same)
                report(l, NULL, typed,
                       "is exported twice: with another prototype, or without one");
        }
    }
}

static void list_exports(const library *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f != NULL;
         f = LLVMGetNextFunction(f))
        add(l, f, TCI_EXPORT_FUNCTION);
    for (LLVMValueRef v = LLVMGetFirstGlobal(l->module); v != NULL; v = LLVMGetNextGlobal(v))
        add(l, v, TCI_EXPORT_DATA);
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(l->module); a != NULL;
         a = LLVMGetNextGlobalAlias(a))
        add(l, a,
            LLVMGetTypeKind(LLVMGlobalGetValueType(a)) == LLVMFunctionTypeKind
                ? TCI_EXPORT_FUNCTION
                : TCI_EXPORT_DATA);
    if (!l->exports->failed && l->exports->count > 1)
        qsort(l->exports->items, l->exports->count, sizeof *l->exports->items, compare);
    if (!l->exports->failed)
        check_prototypes(l);
}

/* --- the table, and the main that returns it --------------------------------------------- */

static LLVMValueRef find_symbol(LLVMModuleRef module, const char *symbol)
{
    LLVMValueRef v = LLVMGetNamedFunction(module, symbol);
    if (v == NULL)
        v = LLVMGetNamedGlobal(module, symbol);
    return v != NULL ? v : LLVMGetNamedGlobalAlias(module, symbol, strlen(symbol));
}

static LLVMValueRef make_table(const library *l, LLVMTypeRef pointer)
{
    const size_t count = ENTRIES + l->exports->count;
    LLVMValueRef *places = calloc(count, sizeof(LLVMValueRef));
    if (places == NULL)
        return NULL;
    places[0] = find_entry(l, "_init", LLVMIntegerTypeKind);
    places[1] = find_entry(l, "_fini", LLVMVoidTypeKind);
    for (size_t i = 0; i < ENTRIES; i++) {
        if (places[i] == NULL)
            places[i] = LLVMConstNull(pointer);
    }
    for (size_t i = ENTRIES; i < count; i++)
        places[i] = find_symbol(l->module, l->exports->items[i - ENTRIES] + 1);
    LLVMValueRef list = LLVMConstArray(pointer, places, (unsigned)count);
    LLVMValueRef table = LLVMAddGlobal(l->module, LLVMTypeOf(list), "tc.exports");
    LLVMSetInitializer(table, list);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    free(places);
    return table;
}

static void make_main(const library *l, LLVMValueRef table, LLVMTypeRef pointer,
                      const char *symbol)
{
    LLVMContextRef context = LLVMGetModuleContext(l->module);
    LLVMTypeRef parts[] = {pointer, LLVMInt64TypeInContext(context), pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), parts, 3, false);
    LLVMValueRef function = LLVMAddFunction(l->module, symbol, type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    LLVMBuildStore(builder, table, LLVMGetParam(function, 0));
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

void tci_library_exports_define(LLVMModuleRef module, const char *name, const char *origin,
                                tci_text_list *exports, tci_text_list *findings)
{
    const library l = {module, name, origin, exports, findings};
    char symbol[SYMBOL_MAX];
    LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(module), 0);
    (void)snprintf(symbol, sizeof symbol, "%s_main", name);
    LLVMValueRef own = find_symbol(module, symbol);
    if (own != NULL) {
        report(&l, own, symbol, "is made by tc-clang for a library; give it another name");
        return;
    }
    list_exports(&l);
    if (exports->count == 0)
        report(&l, NULL, name, "exports nothing: all it defines is static or hidden");
    LLVMValueRef table = exports->failed ? NULL : make_table(&l, pointer);
    if (table == NULL)
        findings->failed = true;
    else
        make_main(&l, table, pointer, symbol);
}
