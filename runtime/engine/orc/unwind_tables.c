#include "unwind_tables.h"

#include "object_bounds.h"

#include <string.h>

#define OF_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

static unsigned kind_of(const char *attribute)
{
    return LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
}

static void give(LLVMValueRef function, const char *attribute, uint64_t value)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, OF_FUNCTION,
                            LLVMCreateEnumAttribute(context, kind_of(attribute), value));
}

static bool has(LLVMValueRef function, const char *attribute)
{
    return LLVMGetEnumAttributeAtIndex(function, OF_FUNCTION, kind_of(attribute)) != NULL;
}

/* Decides as LLVM does. */
static bool gets_table(LLVMValueRef function)
{
    return has(function, "uwtable") || !has(function, "nounwind") ||
           LLVMHasPersonalityFn(function) != 0;
}

typedef struct functions {
    unsigned defined;
    unsigned with_table;
    bool may_catch; /* one has a personality: it cleans up or catches */
} functions;

static functions count_functions(LLVMModuleRef module)
{
    functions f = {0};
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn != NULL;
         fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn))
            continue;
        f.defined++;
        f.with_table += gets_table(fn);
        f.may_catch |= LLVMHasPersonalityFn(fn) != 0;
    }
    return f;
}

/* Counts two for each function: each record of a CIE counts, too; there are a few. */
static bool is_too_many(unsigned tables)
{
    return tables > TCI_OBJECT_BOUNDS_UNWIND_MAX / 2;
}

void tci_unwind_tables_add(LLVMModuleRef module)
{
    const uint64_t at_every_instruction = 2;
    if (is_too_many(count_functions(module).defined))
        return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn != NULL;
         fn = LLVMGetNextFunction(fn)) {
        if (!LLVMIsDeclaration(fn))
            give(fn, "uwtable", at_every_instruction);
    }
}

void tci_unwind_tables_limit(LLVMModuleRef module)
{
    functions f = count_functions(module);
    if (!is_too_many(f.with_table))
        return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn != NULL;
         fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn) || LLVMHasPersonalityFn(fn) != 0)
            continue;
        LLVMRemoveEnumAttributeAtIndex(fn, OF_FUNCTION, kind_of("uwtable"));
        if (!f.may_catch)
            give(fn, "nounwind", 0);
    }
}
