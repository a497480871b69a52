#include "section_bounds.h"

#include "base/error_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START "__start_"
#define STOP "__stop_"

/* The variables of one section, and the data of the one that replaces them. */
typedef struct bounded_section {
    LLVMModuleRef module;
    char *name;
    LLVMValueRef *variables;
    unsigned long long *offsets;
    LLVMValueRef *parts; /* their values, and the padding between */
    unsigned count;
    unsigned part_count;
    unsigned alignment;
    unsigned long long size;
    bool is_constant;
} bounded_section;

static bool is_in(LLVMValueRef variable, const char *name)
{
    const char *section = LLVMGetSection(variable);
    return !LLVMIsDeclaration(variable) && section != NULL && strcmp(section, name) == 0 &&
           !LLVMIsThreadLocal(variable);
}

static unsigned count_in(LLVMModuleRef module, const char *name)
{
    unsigned count = 0;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v))
        count += is_in(v, name);
    return count;
}

/* Returns the section of the first bound in the module, among sections that have variables. */
static const char *next_section(LLVMModuleRef module)
{
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        size_t size = 0;
        const char *name = LLVMGetValueName2(v, &size);
        const char *section = strncmp(name, START, strlen(START)) == 0 ? name + strlen(START)
                              : strncmp(name, STOP, strlen(STOP)) == 0 ? name + strlen(STOP)
                                                                       : NULL;
        if (section != NULL && LLVMIsDeclaration(v) && count_in(module, section) > 0)
            return section;
    }
    return NULL;
}

static void add_space(bounded_section *s, unsigned long long bytes)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetModuleContext(s->module));
    if (bytes > 0)
        s->parts[s->part_count++] = LLVMConstNull(LLVMArrayType2(byte, bytes));
    s->size += bytes;
}

static void add_variable(bounded_section *s, LLVMValueRef variable)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(s->module);
    LLVMTypeRef type = LLVMGlobalGetValueType(variable);
    unsigned alignment = LLVMGetAlignment(variable);
    if (alignment == 0)
        alignment = LLVMABIAlignmentOfType(layout, type);
    add_space(s, (alignment - s->size % alignment) % alignment);
    s->variables[s->count] = variable;
    s->offsets[s->count++] = s->size;
    s->parts[s->part_count++] = LLVMGetInitializer(variable);
    s->size += LLVMABISizeOfType(layout, type);
    s->alignment = alignment > s->alignment ? alignment : s->alignment;
    s->is_constant = s->is_constant && LLVMIsGlobalConstant(variable);
}

/* --- llvm.used --------------------------------------------------------------------------- */

static bool is_one_of(const bounded_section *s, LLVMValueRef value)
{
    for (unsigned i = 0; i < s->count; i++) {
        if (s->variables[i] == value)
            return true;
    }
    return false;
}

/* Such a list may contain no part of a variable. Users of the bounds use the whole one. */
static tc_status remove_from_list(const bounded_section *s, const char *list_name)
{
    LLVMValueRef list = LLVMGetNamedGlobal(s->module, list_name);
    if (list == NULL)
        return TC_OK;
    LLVMValueRef old = LLVMGetInitializer(list);
    unsigned old_count = (unsigned)LLVMGetNumOperands(old), count = 0;
    LLVMValueRef *kept = calloc(old_count + 1, sizeof(LLVMValueRef));
    if (kept == NULL)
        return TC_E_NO_MEMORY;
    for (unsigned i = 0; i < old_count; i++) {
        LLVMValueRef item = LLVMGetOperand(old, i);
        if (!is_one_of(s, item))
            kept[count++] = item;
    }
    LLVMTypeRef pointer = LLVMPointerTypeInContext(LLVMGetModuleContext(s->module), 0);
    LLVMDeleteGlobal(list);
    if (count > 0) {
        LLVMValueRef items = LLVMConstArray2(pointer, kept, count);
        list = LLVMAddGlobal(s->module, LLVMTypeOf(items), list_name);
        LLVMSetInitializer(list, items);
        LLVMSetLinkage(list, LLVMAppendingLinkage);
        LLVMSetSection(list, "llvm.metadata");
    }
    free(kept);
    return TC_OK;
}

/* --- one variable for many --------------------------------------------------------------- */

static LLVMValueRef place_in(LLVMValueRef whole, unsigned long long offset)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(whole));
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);
    return offset == 0
               ? whole
               : LLVMConstInBoundsGEP2(LLVMInt8TypeInContext(context), whole, &index, 1);
}

static void replace(LLVMValueRef global, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(global, by);
    LLVMDeleteGlobal(global);
}

static void replace_bound(LLVMModuleRef module, const char *start, const char *name,
                          LLVMValueRef by)
{
    char bound[1024];
    int n = snprintf(bound, sizeof bound, "%s%s", start, name);
    LLVMValueRef global =
        n > 0 && (size_t)n < sizeof bound ? LLVMGetNamedGlobal(module, bound) : NULL;
    if (global != NULL && LLVMIsDeclaration(global))
        replace(global, by);
}

static tc_status merge(bounded_section *s)
{
    LLVMContextRef context = LLVMGetModuleContext(s->module);
    for (LLVMValueRef v = LLVMGetFirstGlobal(s->module); v != NULL; v = LLVMGetNextGlobal(v)) {
        if (is_in(v, s->name))
            add_variable(s, v);
    }
    TC_TRY(remove_from_list(s, "llvm.used"));
    TC_TRY(remove_from_list(s, "llvm.compiler.used"));
    LLVMValueRef value = LLVMConstStructInContext(context, s->parts, s->part_count, true);
    LLVMValueRef whole = LLVMAddGlobal(s->module, LLVMTypeOf(value), "section");
    LLVMSetInitializer(whole, value);
    LLVMSetLinkage(whole, LLVMInternalLinkage);
    LLVMSetAlignment(whole, s->alignment);
    LLVMSetGlobalConstant(whole, s->is_constant);
    LLVMSetSection(whole, s->name);
    for (unsigned i = 0; i < s->count; i++)
        replace(s->variables[i], place_in(whole, s->offsets[i]));
    replace_bound(s->module, START, s->name, whole);
    replace_bound(s->module, STOP, s->name, place_in(whole, s->size));
    return TC_OK;
}

static tc_status merge_section(LLVMModuleRef module, const char *name)
{
    unsigned count = count_in(module, name);
    bounded_section s = {.module = module, .name = strdup(name), .is_constant = true};
    s.variables = calloc(count, sizeof(LLVMValueRef));
    s.offsets = calloc(count, sizeof *s.offsets);
    s.parts = calloc(2 * (size_t)count, sizeof(LLVMValueRef));
    tc_status status = TC_E_NO_MEMORY;
    if (s.name != NULL && s.variables != NULL && s.offsets != NULL && s.parts != NULL)
        status = merge(&s);
    free(s.name);
    free(s.variables);
    free(s.offsets);
    free(s.parts);
    return status;
}

tc_status tci_section_bounds_define(LLVMModuleRef module, tc_error *err)
{
    const char *name;
    while ((name = next_section(module)) != NULL) {
        if (merge_section(module, name) != TC_OK)
            return tci_error_set(err, TC_E_NO_MEMORY,
                                 "no memory for the variables of a section");
    }
    return TC_OK;
}
