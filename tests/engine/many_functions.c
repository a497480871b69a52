/* Writes bitcode with many functions that do nothing: many_functions COUNT out.bc. The entry is
 * many_main. */
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>

static void add_function(LLVMModuleRef module, LLVMBuilderRef builder, LLVMTypeRef type,
                         const char *name)
{
    LLVMValueRef function = LLVMAddFunction(module, name, type);
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    (void)LLVMBuildRetVoid(builder);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("many", context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef nothing = LLVMVoidTypeInContext(context);
    LLVMTypeRef parts[] = {pointer, LLVMInt64TypeInContext(context), pointer};
    add_function(module, builder, LLVMFunctionType(nothing, parts, 3, 0), "many_main");
    for (long i = strtol(argv[1], NULL, 10); i > 1; i--) {
        char name[32];
        (void)snprintf(name, sizeof name, "f%ld", i);
        add_function(module, builder, LLVMFunctionType(nothing, NULL, 0, 0), name);
    }
    int failed = LLVMWriteBitcodeToFile(module, argv[2]);
    LLVMDisposeBuilder(builder);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return failed != 0;
}
