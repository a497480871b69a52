/* Writes a copy of a bitcode file without triple and data layout, as archives carry it:
 * strip_target in.bc out.bc */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    if (argc != 3)
        return 2;
    LLVMContextRef context = LLVMContextCreate();
    if (LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &buffer, &message) != 0) {
        fprintf(stderr, "%s: %s\n", argv[1], message);
        return 1;
    }
    if (LLVMParseBitcodeInContext2(context, buffer, &module) != 0)
        return 1;
    LLVMSetTarget(module, "");
    LLVMSetDataLayout(module, "");
    int failed = LLVMWriteBitcodeToFile(module, argv[2]);
    LLVMDisposeModule(module);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
    return failed != 0;
}
