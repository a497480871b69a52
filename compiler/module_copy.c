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

/* LLVM makes names of one function different by itself. */
static void rename_labels(LLVMModuleRef module, bool only_nameless, const char *name)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            bool has_name = LLVMGetBasicBlockName(b)[0] != '\0';
            if (!(only_nameless && has_name) && has_address(b))
                LLVMSetValueName2(LLVMBasicBlockAsValue(b), name, strlen(name));
        }
    }
}

void tci_module_copy_name_labels(LLVMModuleRef module)
{
    rename_labels(module, true, "l");
}

void tci_module_copy_forget_labels(LLVMModuleRef module)
{
    rename_labels(module, false, "");
}
