#include "writable_data.h"

#include "archive.h"
#include "jump_origin.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "tc.writable."
#define PREFIX_BYTES (sizeof PREFIX - 1)

bool tci_writable_index(const char *symbol, uint32_t *index_out)
{
    char *end;
    if (strncmp(symbol, PREFIX, PREFIX_BYTES) != 0 || symbol[PREFIX_BYTES] < '0' ||
        symbol[PREFIX_BYTES] > '9')
        return false;
    unsigned long index = strtoul(symbol + PREFIX_BYTES, &end, 10);
    if (*end != '\0' || index >= TCI_WRITABLE_MAX)
        return false;
    *index_out = (uint32_t)index;
    return true;
}

static bool is_of_each_code(LLVMValueRef global)
{
    const char *section = LLVMGetSection(global);
    return section != NULL && strcmp(section, TCI_OWN_DATA_SECTION) == 0;
}

static bool is_writable(LLVMValueRef global)
{
    size_t length;
    const char *name = LLVMGetValueName2(global, &length);
    return !is_of_each_code(global) && !LLVMIsDeclaration(global) &&
           !LLVMIsGlobalConstant(global) &&
           LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage &&
           (length < 5 || memcmp(name, "llvm.", 5) != 0);
}

static uint32_t count(LLVMModuleRef module)
{
    uint32_t n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g != NULL; g = LLVMGetNextGlobal(g))
        n += is_writable(g);
    if (n > TCI_WRITABLE_MAX || (n > 0 && LLVMGetFirstGlobalAlias(module) != NULL) ||
        (n > 0 && !tci_jump_origin_is_constant(module)))
        return TCI_WRITABLE_FIXED;
    return n;
}

static void show(LLVMValueRef global, const char *symbol)
{
    LLVMSetValueName2(global, symbol, strlen(symbol));
    LLVMSetLinkage(global, LLVMExternalLinkage);
    LLVMSetVisibility(global, LLVMDefaultVisibility);
}

/* Replaces the variable by a declaration of its own, which is reached through its address in
 * memory: the code that uses the variable and the code that holds it may be further apart than
 * a near reference can express. LLVM reaches a variable that was internal by near references
 * ever after, whatever its linkage becomes. */
static void declare(LLVMModuleRef module, LLVMValueRef global, const char *symbol)
{
    LLVMValueRef declaration =
        LLVMAddGlobalInAddressSpace(module, LLVMGlobalGetValueType(global), symbol,
                                    LLVMGetPointerAddressSpace(LLVMTypeOf(global)));
    LLVMSetAlignment(declaration, LLVMGetAlignment(global));
    LLVMReplaceAllUsesWith(global, declaration);
    LLVMDeleteGlobal(global);
}

uint32_t tci_writable_data_share(LLVMModuleRef module, tci_code_level level)
{
    uint32_t n = count(module);
    uint32_t index = 0;
    if (n == TCI_WRITABLE_FIXED || level == TCI_LEVEL_OPTIMISED)
        return n;
    for (LLVMValueRef g = LLVMGetFirstGlobal(module), next; g != NULL; g = next) {
        char symbol[TCI_WRITABLE_SYMBOL_MAX];
        next = LLVMGetNextGlobal(g);
        if (!is_writable(g))
            continue;
        tci_writable_symbol(index++, symbol);
        if (level == TCI_LEVEL_OPTIMISED_SHARED)
            declare(module, g, symbol);
        else
            show(g, symbol);
    }
    return n;
}
