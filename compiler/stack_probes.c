#include "stack_probes.h"

void tci_stack_probes_add(LLVMModuleRef module)
{
    static const char name[] = "probe-stack", value[] = "inline-asm";
    if (LLVMGetNamedFunction(module, "tc_task_run") == NULL)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                    LLVMCreateStringAttribute(LLVMGetModuleContext(module),
                                                              name, sizeof name - 1, value,
                                                              sizeof value - 1));
    }
}
