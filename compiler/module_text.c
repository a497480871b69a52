#include "module_text.h"

#include "base/error_text.h"

tc_status tci_module_text_link(LLVMModuleRef module, const char *what, const char *text,
                               size_t size, tc_error *err)
{
    LLVMModuleRef piece;
    char *message;
    bool ok = tci_llvm_parse_ir(LLVMGetModuleContext(module), text, size, &piece, &message);
    if (!ok)
        (void)tci_error_set(err, TC_E_COMPILE, "%s: %s", what, message);
    LLVMDisposeMessage(message);
    if (!ok)
        return TC_E_COMPILE;
    LLVMSetTarget(piece, LLVMGetTarget(module));
    LLVMSetDataLayout(piece, LLVMGetDataLayoutStr(module));
    return LLVMLinkModules2(module, piece)
               ? tci_error_set(err, TC_E_COMPILE, "the %s does not link", what)
               : TC_OK;
}
