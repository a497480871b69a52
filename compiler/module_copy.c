#include "module_copy.h"

#include "base/error_text.h"

#include <stdbool.h>
#include <string.h>

tc_status tci_module_copy(LLVMModuleRef module, LLVMContextRef context, LLVMModuleRef *copy_out,
                          tc_error *err)
{
    LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    LLVMBool failed = LLVMParseBitcodeInContext2(context, bitcode, copy_out);
    LLVMDisposeMemoryBuffer(bitcode);
    return failed ? tci_error_set(err, TC_E_COMPILE, "module does not survive being copied")
                  : TC_OK;
}

static bool has_address(LLVMBasicBlockRef block)
{
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
    while (use != NULL && LLVMIsABlockAddress(LLVMGetUser(use)) == NULL)
        use = LLVMGetNextUse(use);
    return use != NULL;
}

/* LLVM itself makes repeated names different. */

void tci_module_copy_name_functions(LLVMModuleRef module)
{
    static const char name[] = "nameless";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        size_t size = 0;
        (void)LLVMGetValueName2(f, &size);
        if (size == 0)
            LLVMSetValueName2(f, name, sizeof name - 1);
    }
}

void tci_module_copy_name_labels(LLVMModuleRef module)
{
    static const char name[] = "l";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            if (LLVMGetBasicBlockName(b)[0] == '\0' && has_address(b))
                LLVMSetValueName2(LLVMBasicBlockAsValue(b), name, sizeof name - 1);
        }
    }
}
